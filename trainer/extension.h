// Extension: what happens beside the updates: evaluating, reporting, saving. Derive from it, or give the trainer a
// lambda: trainer.extend([](Trainer& trainer) { ... }, {.name = "hello", .trigger = {1, "epoch"}});
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include <renkei/trainer/trigger.h>

namespace renkei {

/// Extensions run in descending priority, equal ones in the order they were added.
namespace priority {
inline constexpr int kWriter = 300;    ///< puts values into the observation
inline constexpr int kEditor = 200;    ///< changes values of the observation
inline constexpr int kReader = 100;    ///< reads the observation
inline constexpr int kSnapshot = -100;
}  // namespace priority

class Extension {
 public:
  virtual ~Extension() = default;

  virtual std::string default_name() const = 0;
  virtual TriggerSpec default_trigger() const { return {1, "iteration"}; }
  virtual int default_priority() const { return priority::kReader; }

  /// Before training, ahead of every initialize: the place to load an earlier state.
  virtual void restore(Trainer&) {}
  /// Before the first iteration of this run, after a state was loaded.
  virtual void initialize(Trainer&) {}
  /// When the trigger fires.
  virtual void call(Trainer& trainer) = 0;
  /// When training fails, before finalize; what it throws is printed and forgotten.
  virtual void on_error(Trainer&, const std::exception&) {}
  /// Once when training ends, well or not.
  virtual void finalize() {}

  /// State that training changes, for exact resume.
  virtual void serialize(Serializer&) {}
};

struct ExtendOptions {
  std::string name = {};             ///< none: the extension's own; a taken name gets _1, _2, ...
  TriggerSpec trigger = {};          ///< none: the extension's own
  std::optional<int> priority = {};  ///< none: the extension's own
  bool call_before_training = false; ///< also call once before the first iteration of a new training
};

}  // namespace renkei
