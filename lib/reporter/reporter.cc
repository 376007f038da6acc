#include <renkei/lib/reporter/reporter.h>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

thread_local ReporterScope* g_innermost = nullptr;

}  // namespace

void Reporter::add_observer(std::string name, const void* observer) { prefixes_[observer] = std::move(name) + "/"; }

void Reporter::report(Observation& observation, std::string_view key, const Reported& reported,
                      const void* observer) const {
  if (!observer) return observation.set(key, reported);
  const auto prefix = prefixes_.find(observer);
  if (prefix == prefixes_.end())
    throw StateError{fmt::format("report {}: the link that reports it is not part of a model this reporter knows", key)};
  std::string name;
  name.reserve(prefix->second.size() + key.size());
  name.append(prefix->second).append(key);
  observation.set(name, reported);
}

ReporterScope::ReporterScope(const Reporter& reporter, Observation& observation)
    : reporter_{reporter}, observation_{observation}, outer_{g_innermost} {
  g_innermost = this;
}

ReporterScope::~ReporterScope() { g_innermost = outer_; }

bool is_reporting() { return g_innermost != nullptr; }

void report(std::string_view key, const Reported& reported, const void* observer) {
  if (g_innermost) g_innermost->reporter_.report(g_innermost->observation_, key, reported, observer);
}

}  // namespace renkei
