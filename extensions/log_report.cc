#include <renkei/extensions/log_report.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/atomic_file.h>
#include <renkei/lib/serializers/serializer.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {
namespace {

using Json = nlohmann::ordered_json;  // NaN and infinity, which JSON does not have, become null

bool counts(std::string_view key) { return key == "epoch" || key == "iteration"; }

Json to_json(const LogEntry& entry) {
  Json object = Json::object();
  for (const auto& [key, value] : entry) {
    if (counts(key)) {
      object[key] = static_cast<std::int64_t>(value);
    } else {
      object[key] = value;
    }
  }
  return object;
}

/// Nothing if the text is no object of numbers.
std::optional<LogEntry> to_entry(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  LogEntry entry;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number() && !value.is_null()) return std::nullopt;
    entry.set(key, value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return entry;
}

std::string text_of(const std::vector<LogEntry>& log) {
  Json array = Json::array();
  for (const LogEntry& entry : log) array.push_back(to_json(entry));
  return array.dump();
}

/// Chainer writes NaN and Infinity, which are not JSON; they are read as null. Keys may hold these words.
std::string without_nan(const std::string& text) {
  std::string result;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    std::size_t length = 0;
    for (const std::string_view token : {"-Infinity", "Infinity", "NaN"})
      if (!quoted && text.compare(i, token.size(), token) == 0) length = token.size();
    result += length > 0 ? "null" : text.substr(i, 1);
    if (length > 0) i += length - 1;
  }
  return result;
}

}  // namespace

void LogEntry::set(std::string key, double value) {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& pair) { return pair.first == key; });
  if (found != values_.end()) {
    found->second = value;
  } else {
    values_.emplace_back(std::move(key), value);
  }
}

std::optional<double> LogEntry::find(std::string_view key) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& pair) { return pair.first == key; });
  return found == values_.end() ? std::nullopt : std::optional{found->second};
}

LogReport::LogReport(LogReportOptions options)
    : options_{std::move(options)}, trigger_{std::move(options_.trigger).as_interval()} {
  if (!trigger_) throw ValueError{"trigger of LogReport", "none", "an interval such as {1, \"epoch\"}"};
}

void LogReport::initialize(Trainer& trainer) {
  next_iteration_ = trainer.updater().iteration() + 1;
  if (options_.format != LogFormat::lines || options_.filename.empty()) return;
  // What a run that was killed wrote after its last snapshot is written again: cut it off.
  const std::string path = (std::filesystem::path{trainer.out()} / options_.filename).string();
  std::string kept, line;
  std::ifstream file{path};
  for (std::int64_t i = 0; i < resumed_length_ && std::getline(file, line); ++i) kept += line + "\n";
  write_file_atomically(path, kept);
}

void LogReport::call(Trainer& trainer) {
  const std::int64_t iteration = trainer.updater().iteration();
  if (!trainer.is_before_training() && iteration != next_iteration_)
    throw StateError{fmt::format("log report: called at iteration {} without iteration {}, so that means would leave "
                                 "reports out; set the interval in LogReportOptions, not in extend",
                                 iteration, next_iteration_)};
  next_iteration_ = iteration + 1;
  if (options_.keys.empty()) {
    summary_.add(trainer.observation());
  } else {
    for (const std::string& key : options_.keys)
      if (const Reported* reported = trainer.observation().find(key)) summary_.add(key, *reported);
  }
  if (!trainer.is_before_training() && !(*trigger_)(trainer)) return;

  LogEntry entry;
  for (const auto& [key, mean] : summary_.means()) entry.set(key, mean);
  entry.set("epoch", static_cast<double>(trainer.updater().epoch()));
  entry.set("iteration", static_cast<double>(trainer.updater().iteration()));
  entry.set("elapsed_time", trainer.elapsed_time());
  if (options_.postprocess) options_.postprocess(entry);
  keep(std::move(entry));
  summary_.clear();
  if (!options_.filename.empty()) write(trainer);
}

void LogReport::keep(LogEntry entry) {
  if (options_.format == LogFormat::json) {
    const std::string alone = Json::array({to_json(entry)}).dump(4);  // "[", the entry, "\n]"
    rows_ += (rows_.empty() ? "[" : ",") + alone.substr(1, alone.size() - 3);
  }
  log_.push_back(std::move(entry));
}

void LogReport::write(Trainer& trainer) const {
  const std::string path = (std::filesystem::path{trainer.out()} / options_.filename).string();
  if (options_.format == LogFormat::lines) return append(path, log_.back());
  write_file_atomically(path, rows_ + "\n]");
}

void LogReport::append(const std::string& path, const LogEntry& entry) const {
  std::ofstream file{path, std::ios::app};
  file << to_json(entry).dump() + "\n" << std::flush;
  if (!file) throw FileError{path, "cannot append to the log"};
}

void LogReport::serialize(Serializer& s) {
  s.object("_trigger", *trigger_);
  s.object("_summary", summary_);
  if (options_.format == LogFormat::lines) {
    auto length = static_cast<std::int64_t>(log_.size()) + std::max<std::int64_t>(resumed_length_, 0);
    s("_length", length);
    if (s.is_loading()) {
      resumed_length_ = length;
      log_.clear();
    }
    return;
  }
  std::string text = s.is_loading() ? "" : text_of(log_);
  s("_log", text);
  if (!s.is_loading()) return;
  log_.clear();
  rows_.clear();
  if (text.empty()) return;
  const Json array = Json::parse(without_nan(text), nullptr, /*allow_exceptions=*/false);
  if (!array.is_array()) s.fail("_log", "want a JSON list of log entries");
  for (const Json& object : array) {
    std::optional<LogEntry> entry = to_entry(object);
    if (!entry) s.fail("_log", "want objects of numbers");
    keep(std::move(*entry));
  }
}

}  // namespace renkei::extensions
