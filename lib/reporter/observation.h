// Observation: what was reported during one iteration, by key, in the order of the first report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <renkei/lib/core/array.h>

namespace renkei {

/// A reported number and how much it counts in a mean: usually the number of samples it was averaged over.
class Reported {
 public:
  Reported(double value, double weight) : value_{value}, weight_{weight} {}
  /// A single element; on a device of its own memory it is read only when the value is asked for.
  Reported(const Array& value, double weight);

  double value() const;  ///< may wait for a device
  double weight() const { return weight_; }

 private:
  double value_ = 0.0;
  double weight_;
  Array pending_;
};

class Observation {
 public:
  struct Entry {
    std::string key;
    Reported reported;
  };

  /// A later report of a key replaces the earlier one.
  void set(std::string_view key, const Reported& reported);
  const Reported* find(std::string_view key) const;  ///< null when the key was not reported

  bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

 private:
  std::vector<Entry> entries_;  // a handful: a scan beats a map
};

}  // namespace renkei
