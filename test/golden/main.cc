// golden --dir DIR [--device NAME] [--only A,B,...] [--list]
//   One line per failing case, last "N passed, N failed, N skipped"; exit 1 on any failure, 2 on bad arguments.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

#include "golden/golden.h"

namespace {

using golden::Case;
using renkei::Error;

struct Group {
  std::string_view name;
  void (*add)(golden::Suite&);
};
constexpr std::array<Group, 9> kGroups{{{"functions", golden::add_functions},
                                        {"links", golden::add_links},
                                        {"optimizers", golden::add_optimizers},
                                        {"lr_schedules", golden::add_lr_schedules},
                                        {"triggers", golden::add_triggers},
                                        {"iterators", golden::add_iterators},
                                        {"train_mnist", golden::add_train_mnist},
                                        {"small_cnn", golden::add_small_cnn},
                                        {"snapshot_formats", golden::add_snapshot_formats}}};

struct Arguments {
  std::string dir, device = "cpu";
  std::vector<std::string> only;
  bool list = false;
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string flag = words[i].substr(0, equals);
    const auto value = [&]() -> std::string {
      if (equals != std::string::npos) return words[i].substr(equals + 1);
      if (i + 1 == words.size()) throw Error{flag + ": a value is missing"};
      return words[++i];
    };
    if (flag == "--dir") arguments.dir = value();
    else if (flag == "--device") arguments.device = value();
    else if (flag == "--only") for (std::string& part : split(value())) arguments.only.push_back(std::move(part));
    else if (flag == "--list") arguments.list = true;
    else throw Error{fmt::format("unknown argument {}; want --dir DIR, --device NAME, --only A,B,... or --list", flag)};
  }
  if (arguments.dir.empty()) throw Error{"--dir DIR is missing: the folder of the golden files"};
  if (!std::filesystem::is_directory(arguments.dir)) throw Error{arguments.dir + ": no such folder"};
  return arguments;
}

bool matches(const std::string& selector, const Case& c) {
  return selector == c.group || selector == c.group + "/" + c.name || selector == c.id ||
         selector == c.group + "/" + c.id;
}

/// Cases nobody means to implement, each with a reason: lines "SELECTOR: REASON".
std::map<std::string, std::string> read_not_planned() {
  // Copied beside the program by the build, so that a build folder can be moved.
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "golden_not_planned.txt";
  std::ifstream file{path};
  if (!file) throw renkei::FileError{path.string(), "cannot be opened"};
  std::map<std::string, std::string> reasons;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || colon + 2 == line.size())
      throw renkei::FileError{path.string(), fmt::format("'{}': want NAME: REASON", line)};
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return reasons;
}

void check_selectors(const Arguments& arguments, const std::vector<Case>& cases) {
  for (const std::string& selector : arguments.only) {
    if (std::any_of(cases.begin(), cases.end(), [&](const Case& c) { return matches(selector, c); })) continue;
    const std::string group = selector.substr(0, selector.find('/'));
    std::set<std::string> names, groups;
    for (const Case& c : cases)
      if (c.group == group) names.insert(group + "/" + c.name);
    for (const Group& known : kGroups) groups.emplace(known.name);
    if (groups.contains(group) && names.empty()) continue;  // its files are not in this folder
    throw Error{fmt::format("--only {}: no such group, name or case; there are {}", selector,
                            fmt::join(names.empty() ? groups : names, ", "))};
  }
}

int run(const Arguments& arguments) {
  golden::Suite suite{arguments.dir, renkei::get_device(arguments.device)};
  for (const Group& group : kGroups) group.add(suite);
  check_selectors(arguments, suite.cases());
  const auto not_planned = read_not_planned();
  int passed = 0, failed = 0, skipped = 0;
  for (const Case& c : suite.cases()) {
    const auto selects = [&](const std::string& selector) { return matches(selector, c); };
    if (!arguments.only.empty() && std::none_of(arguments.only.begin(), arguments.only.end(), selects)) continue;
    const auto reason = std::find_if(not_planned.begin(), not_planned.end(),
                                     [&](const auto& entry) { return selects(entry.first); });
    const bool skip = !c.run && reason != not_planned.end();
    const std::string label = fmt::format("{}/{} {}", c.group, c.name, c.id);
    if (arguments.list) {
      fmt::print("{}{}\n", label, c.run ? "" : skip ? " (not planned: " + reason->second + ")" : " (not implemented)");
      continue;
    }
    if (skip) {
      ++skipped;
      continue;
    }
    std::string problem;
    try {
      golden::Outcome outcome;
      if (!c.run) problem = "not implemented, and test/golden_not_planned.txt does not name it";
      else c.run(outcome);
      if (c.run && outcome.comparisons() == 0) problem = "compared nothing";
      else if (!outcome.passed()) problem = outcome.text();
    } catch (const std::exception& error) {
      problem = fmt::format("threw: {}", error.what());
    }
    ++(problem.empty() ? passed : failed);
    if (!problem.empty()) fmt::print("FAIL {}: {}\n", label, problem);
    std::fflush(stdout);
  }
  if (!arguments.list) fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "golden: {}\n", error.what());
    return 2;
  }
}
