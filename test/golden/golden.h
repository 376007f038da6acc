// Golden checks: what Renkei computes against numbers computed by Chainer. A group (functions, links, ...) has one
// file with one function that adds its cases to the suite:
//
//   void golden::add_functions(Suite& suite) {
//     if (!suite.has("functions.json")) return;                       // files that are not there are skipped
//     for (const auto& facts : suite.json("functions.json")["cases"]) {
//       const std::string name = facts["function"];
//       Case c{"functions", name, facts["id"], {}};
//       if (known(name)) c.run = [&](Outcome& outcome) { outcome.compare("y0", y, suite.array(...), tolerance); };
//       suite.add(std::move(c));                                      // without `run`: not implemented
//     }
//   }
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <renkei/lib/device/device.h>
#include <renkei/lib/serializers/serializer.h>

namespace golden {

using renkei::Array;

/// got and want agree where |got - want| <= atol + rtol * |want|, and where both are NaN or the same infinity.
struct Tolerance {
  double atol = 0, rtol = 0;
};
Tolerance tolerance_of(const nlohmann::json& tolerance);  ///< {"atol": ..., "rtol": ...}

/// What one case found. The case fails if any comparison does; the text tells the worst.
class Outcome {
 public:
  void compare(std::string_view what, const Array& got, const Array& want, Tolerance tolerance);
  void compare(std::string_view what, double got, double want, Tolerance tolerance);
  /// Two values or texts that must be equal as they print.
  void equal(std::string_view what, std::string_view got, std::string_view want);
  void expect(bool holds, std::string_view what_is_wrong);

  bool passed() const { return failures_ == 0; }
  int comparisons() const { return comparisons_; }
  std::string text() const;  ///< the worst failure and how many more there are

 private:
  void count(bool passed, double badness, const std::string& text);
  int comparisons_ = 0, failures_ = 0;
  double badness_ = 0;
  std::string worst_;
};

/// One check. `name` (the function, link, optimizer, JSON section, run folder or file) and `id` select it.
struct Case {
  std::string group, name, id;
  std::function<void(Outcome&)> run;  ///< empty: not implemented
};

class Suite {
 public:
  Suite(std::string dir, renkei::Device& device) : dir_{std::move(dir)}, device_{device} {}
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  renkei::Device& device() const { return device_; }  ///< where the cases run
  bool has(const std::string& file) const;            ///< whether the folder has it
  std::string path(const std::string& file) const { return dir_ + "/" + file; }
  std::vector<std::string> folders(const std::string& below) const;  ///< names of the folders in one, sorted

  // Files are read once and kept, so that cases may hold references into them.
  const nlohmann::json& json(const std::string& file);
  const renkei::Dictionary& npz(const std::string& file);
  /// One array of an .npz, on the CPU; scalars get shape ().
  Array array(const std::string& file, const std::string& key);

  void add(Case c) { cases_.push_back(std::move(c)); }
  const std::vector<Case>& cases() const { return cases_; }

 private:
  std::string dir_;
  renkei::Device& device_;
  std::vector<Case> cases_;
  std::map<std::string, std::shared_ptr<const nlohmann::json>> jsons_;
  std::map<std::string, renkei::Dictionary> npzs_;
};

// One per group, each in the file of its name; those in not_implemented.cc only name the cases.
void add_functions(Suite& suite);
void add_links(Suite& suite);
void add_optimizers(Suite& suite);
void add_lr_schedules(Suite& suite);
void add_triggers(Suite& suite);
void add_iterators(Suite& suite);
void add_train_mnist(Suite& suite);
void add_small_cnn(Suite& suite);
void add_snapshot_formats(Suite& suite);

}  // namespace golden
