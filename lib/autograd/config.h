// Modes of the calling thread: whether a graph is built, and whether functions behave as in training.
#pragma once

#include <renkei/lib/core/dtype.h>

namespace renkei {

struct Config {
  bool enable_backprop = true;   ///< build the graph that backward needs
  bool train = true;             ///< dropout drops, batch normalization uses the batch
  Dtype dtype = Dtype::float32;  ///< of the parameters of new links
};

/// The modes of this thread. Change them through the scopes below, which restore the earlier value.
Config& config();

/// Sets one mode for the life of the scope: `const ModeScope test{&Config::train, false};`
class ModeScope {
 public:
  ModeScope(bool Config::*mode, bool value) : mode_{mode}, previous_{config().*mode} { config().*mode = value; }
  ~ModeScope() { config().*mode_ = previous_; }
  ModeScope(const ModeScope&) = delete;
  ModeScope& operator=(const ModeScope&) = delete;

 private:
  bool Config::*mode_;
  bool previous_;
};

/// Inside, functions compute values only: no graph, no retained arrays.
struct NoBackpropMode : ModeScope {
  NoBackpropMode() : ModeScope{&Config::enable_backprop, false} {}
};

/// Inside, functions behave as in evaluation: dropout passes its input on.
struct TestMode : ModeScope {
  TestMode() : ModeScope{&Config::train, false} {}
};

}  // namespace renkei
