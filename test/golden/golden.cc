#include "golden/golden.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npz.h>

namespace golden {

using namespace renkei;

namespace {

/// 0 to 1 where the two agree, above 1 where they do not, infinity where they never could.
double badness_of(double got, double want, Tolerance tolerance) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  const double error = std::abs(got - want), allowed = tolerance.atol + tolerance.rtol * std::abs(want);
  if (!std::isfinite(error)) return INFINITY;
  return error <= allowed ? error / allowed : allowed > 0 ? error / allowed : INFINITY;
}

std::string position(std::int64_t flat, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.ndim()));
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    index[static_cast<std::size_t>(axis)] = flat % shape[axis];
    flat /= shape[axis];
  }
  return fmt::format("({})", fmt::join(index, ", "));
}

std::string difference(double got, double want, Tolerance tolerance) {
  return fmt::format("got {}, want {}, error {:.3g} > {:.3g} + {:.3g} * |want|", got, want, std::abs(got - want),
                     tolerance.atol, tolerance.rtol);
}

std::vector<double> host_elements(const Array& array) {
  return to_vector<double>(to_device(cast(array, Dtype::float64), get_device("cpu")));
}

}  // namespace

Tolerance tolerance_of(const nlohmann::json& tolerance) { return {tolerance.at("atol"), tolerance.at("rtol")}; }

void Outcome::count(bool passed, double badness, const std::string& text) {
  ++comparisons_;
  if (passed) return;
  if (failures_++ == 0 || badness > badness_) {
    badness_ = badness;
    worst_ = text;
  }
}

void Outcome::compare(std::string_view what, const Array& got, const Array& want, Tolerance tolerance) {
  if (!got || !want) return count(!got && !want, INFINITY, fmt::format("{}: one of the arrays is missing", what));
  if (got.shape() != want.shape())
    return count(false, INFINITY, fmt::format("{}: got shape {}, want {}", what, got.shape().to_string(),
                                              want.shape().to_string()));
  const std::vector<double> ours = host_elements(got), theirs = host_elements(want);
  double worst = 0;
  std::size_t at = 0, wrong = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double badness = badness_of(ours[i], theirs[i], tolerance);
    wrong += badness > 1;
    if (badness > worst) {
      worst = badness;
      at = i;
    }
  }
  if (wrong == 0) return count(true, worst, {});
  count(false, worst, fmt::format("{} at {}: {}; {} of {} elements are wrong", what,
                                  position(static_cast<std::int64_t>(at), got.shape()),
                                  difference(ours[at], theirs[at], tolerance), wrong, ours.size()));
}

void Outcome::compare(std::string_view what, double got, double want, Tolerance tolerance) {
  const double badness = badness_of(got, want, tolerance);
  count(badness <= 1, badness, fmt::format("{}: {}", what, difference(got, want, tolerance)));
}

void Outcome::equal(std::string_view what, std::string_view got, std::string_view want) {
  count(got == want, INFINITY, fmt::format("{}: got {}, want {}", what, got, want));
}

void Outcome::expect(bool holds, std::string_view what_is_wrong) {
  count(holds, INFINITY, std::string{what_is_wrong});
}

std::string Outcome::text() const {
  if (failures_ < 2) return worst_;
  return fmt::format("{} ({} of {} comparisons failed)", worst_, failures_, comparisons_);
}

bool Suite::has(const std::string& file) const { return std::filesystem::exists(path(file)); }

std::vector<std::string> Suite::folders(const std::string& below) const {
  std::vector<std::string> names;
  if (!has(below)) return names;
  for (const auto& entry : std::filesystem::directory_iterator{path(below)})
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const nlohmann::json& Suite::json(const std::string& file) {
  auto& slot = jsons_[file];
  if (!slot) {
    std::ifstream stream{path(file)};
    if (!stream) throw FileError{path(file), "cannot be opened"};
    try {
      slot = std::make_shared<const nlohmann::json>(nlohmann::json::parse(stream));
    } catch (const nlohmann::json::exception& error) {
      throw FileError{path(file), error.what()};
    }
  }
  return *slot;
}

const Dictionary& Suite::npz(const std::string& file) {
  const auto found = npzs_.find(file);
  return found != npzs_.end() ? found->second : npzs_.emplace(file, read_npz(path(file))).first->second;
}

Array Suite::array(const std::string& file, const std::string& key) {
  const Dictionary& dictionary = npz(file);
  const auto entry = dictionary.find(key);
  if (entry == dictionary.end()) throw FileError{path(file), fmt::format("has no array '{}'", key)};
  return as_array(entry->second);
}

}  // namespace golden
