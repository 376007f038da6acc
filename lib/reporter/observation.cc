#include <renkei/lib/reporter/observation.h>

#include <algorithm>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {

Reported::Reported(const Array& value, double weight) : weight_{weight} {
  if (value.size() != 1) throw ShapeError{"report", {{"value", value.shape()}}, "a single element"};
  if (value.device().is_host()) {
    value_ = to_double(value);
  } else {
    pending_ = copy(value);
  }
}

double Reported::value() const { return pending_ ? to_double(pending_) : value_; }

void Observation::set(std::string_view key, const Reported& reported) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found != entries_.end()) {
    found->reported = reported;
  } else {
    entries_.push_back({std::string{key}, reported});
  }
}

const Reported* Observation::find(std::string_view key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &found->reported;
}

}  // namespace renkei
