// Groups without a file of their own yet: their cases are named, so that they count.
#include <nlohmann/json.hpp>

#include "golden/golden.h"

namespace golden {
namespace {

/// Cases of a JSON list; `name` is the entry that selects them.
void add_listed(Suite& suite, const std::string& group, const std::string& list, const std::string& name) {
  const std::string file = group + ".json";
  if (!suite.has(file)) return;
  for (const auto& facts : suite.json(file).at(list)) suite.add({group, facts.at(name), facts.at("id"), {}});
}

void add_runs(Suite& suite, const std::string& group) {
  for (const std::string& run : suite.folders(group)) suite.add({group, run, group + "/" + run, {}});
}

}  // namespace

void add_lr_schedules(Suite& suite) { add_listed(suite, "lr_schedules", "cases", "id"); }

void add_small_cnn(Suite& suite) { add_runs(suite, "small_cnn"); }

}  // namespace golden
