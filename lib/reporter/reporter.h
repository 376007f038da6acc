// Reporter: gives reported values the names of their observers and puts them into an observation.
//
//   report("loss", loss, batch_size, this);      // in a link known as "main": becomes main/loss
//
// Reports go to the reporter on top of this thread's stack; without one they go nowhere, so that models can be used
// outside of a trainer. A helper thread that shall report opens a ReporterScope of its own.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/reporter/observation.h>

namespace renkei {

class Reporter {
 public:
  /// Reports of `observer` get the prefix name + "/". An observer is known by its address.
  void add_observer(std::string name, const void* observer);

  /// Throws StateError naming the key if the observer is not known.
  void report(Observation& observation, std::string_view key, const Reported& reported, const void* observer) const;

 private:
  std::unordered_map<const void*, std::string> prefixes_;
};

/// Sends this thread's reports to `reporter` and on into `observation` while the scope lives. Both must outlive it.
class ReporterScope {
 public:
  ReporterScope(const Reporter& reporter, Observation& observation);
  ~ReporterScope();
  ReporterScope(const ReporterScope&) = delete;
  ReporterScope& operator=(const ReporterScope&) = delete;

 private:
  friend void report(std::string_view, const Reported&, const void*);
  const Reporter& reporter_;
  Observation& observation_;
  ReporterScope* outer_;
};

/// Whether a report of this thread would go anywhere: saves computing what nobody reads.
bool is_reporting();

void report(std::string_view key, const Reported& reported, const void* observer = nullptr);

/// `weight`: the number of samples that `value` is the mean of.
inline void report(std::string_view key, double value, double weight = 1.0, const void* observer = nullptr) {
  report(key, Reported{value, weight}, observer);
}
inline void report(std::string_view key, const Variable& value, double weight = 1.0, const void* observer = nullptr) {
  if (is_reporting()) report(key, Reported{value.data(), weight}, observer);
}

}  // namespace renkei
