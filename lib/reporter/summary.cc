#include <renkei/lib/reporter/summary.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/serializers/serializer.h>

namespace renkei {

void Summary::add(double value, double weight) {
  if (weight == 0.0) return;  // a mean over no samples is NaN, and must not spoil the sum
  x_ += weight * value;
  x2_ += weight * value * value;
  n_ += weight;
}

double Summary::standard_deviation() const {
  const double variance = x2_ / n_ - mean() * mean();
  return std::sqrt(variance < 0.0 ? 0.0 : variance);  // NaN stays NaN
}

void Summary::serialize(Serializer& s) {
  s("_x", x_);
  s("_x2", x2_);
  // Chainer counts in whole numbers, and so do weights that are sample counts.
  if (s.is_loading() || n_ != std::floor(n_)) return s("_n", n_);
  auto count = static_cast<std::int64_t>(n_);
  s("_n", count);
}

void DictSummary::add(const Observation& observation) {
  for (const auto& entry : observation) add(entry.key, entry.reported);
}

void DictSummary::add(std::string_view key, const Reported& reported) {
  auto found = std::find_if(summaries_.begin(), summaries_.end(), [&](const auto& summary) { return summary.first == key; });
  if (found == summaries_.end()) found = summaries_.insert(summaries_.end(), {std::string{key}, Summary{}});
  found->second.add(reported.value(), reported.weight());
}

std::vector<std::pair<std::string, double>> DictSummary::means() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [key, summary] : summaries_) result.emplace_back(key, summary.mean());
  return result;
}

const Summary* DictSummary::find(std::string_view key) const {
  const auto found = std::find_if(summaries_.begin(), summaries_.end(), [&](const auto& summary) { return summary.first == key; });
  return found == summaries_.end() ? nullptr : &found->second;
}

void DictSummary::serialize(Serializer& s) {
  nlohmann::json names = nlohmann::json::array();
  for (const auto& [key, summary] : summaries_) names.push_back(key);
  std::string text = names.dump();
  s("_names", text);
  if (s.is_loading()) {
    names = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    const bool valid = names.is_array() && std::all_of(names.begin(), names.end(), [](const auto& name) { return name.is_string(); });
    if (!valid) s.fail("_names", "want a JSON list of names");
    summaries_.clear();
    for (const auto& name : names) summaries_.emplace_back(name.get<std::string>(), Summary{});
  }
  for (std::size_t i = 0; i < summaries_.size(); ++i) s.object(fmt::format("_summaries/{}", i), summaries_[i].second);
}

}  // namespace renkei
