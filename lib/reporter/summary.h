// Weighted means of reported values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <renkei/lib/reporter/observation.h>

namespace renkei {

class Serializer;

/// Mean and standard deviation of numbers that count differently:
///   n = sum w   mean = sum w v / n   std = sqrt(sum w v^2 / n - mean^2)   (of the population)
class Summary {
 public:
  void add(double value, double weight = 1.0);  ///< a weight of 0 changes nothing, whatever the value
  double mean() const { return x_ / n_; }  ///< NaN when nothing was added
  double standard_deviation() const;       ///< never NaN by rounding alone
  double weight() const { return n_; }

  /// Chainer's keys: _x, _x2, _n.
  void serialize(Serializer& s);

 private:
  double x_ = 0.0, x2_ = 0.0, n_ = 0.0;
};

/// A Summary for each key, in the order of the first appearance.
class DictSummary {
 public:
  void add(const Observation& observation);
  void add(std::string_view key, const Reported& reported);
  std::vector<std::pair<std::string, double>> means() const;
  const Summary* find(std::string_view key) const;
  bool empty() const { return summaries_.empty(); }
  void clear() { summaries_.clear(); }

  /// Chainer's keys: _names (JSON text) and _summaries/0/_x, ... Loading replaces everything.
  void serialize(Serializer& s);

 private:
  std::vector<std::pair<std::string, Summary>> summaries_;
};

}  // namespace renkei
