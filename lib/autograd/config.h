// Modes of the calling thread: whether a graph is built, and whether functions behave as in training.
#pragma once

#include <cstdint>

#include <renkei/lib/core/dtype.h>

namespace renkei {

class RandomGenerator;

struct Config {
  bool enable_backprop = true;   ///< build the graph that backward needs
  bool train = true;             ///< dropout drops, batch normalization uses the batch
  Dtype dtype = Dtype::float32;  ///< of the parameters of new links

  RandomGenerator* generator = nullptr;  ///< where random functions take their streams; null: default_generator()
  std::int64_t first_sample = 0;         ///< place of this thread's first sample in the whole batch
};

/// The modes of this thread. Change them through the scopes below, which restore the earlier value.
Config& config();

/// The generator that random functions of this thread take their streams from.
RandomGenerator& current_generator();

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

/// For one share of a batch that is cut over devices or threads. Random functions inside draw from `generator` and count
/// samples from `first_sample`, so that shares whose generators have equal states drop the same elements as the whole
/// batch would on one device.
class RandomScope {
 public:
  RandomScope(RandomGenerator& generator, std::int64_t first_sample)
      : generator_{config().generator}, first_sample_{config().first_sample} {
    config().generator = &generator;
    config().first_sample = first_sample;
  }
  ~RandomScope() {
    config().generator = generator_;
    config().first_sample = first_sample_;
  }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  RandomGenerator* generator_;
  std::int64_t first_sample_;
};

}  // namespace renkei
