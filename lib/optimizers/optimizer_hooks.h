// The usual hooks, with Chainer's names. They act on gradients before the step, in the order they were added.
//
//   optimizer.add_hook(optimizer_hooks::WeightDecay{5e-4});
//   optimizer.add_hook(optimizer_hooks::GradientClipping{5.0});       // clips the decayed gradient
//   optimizer.add_hook([](Optimizer& o) { ... }, {.name = "mine", .timing = HookTiming::post});
//   optimizer.rule("l1/W").add_hook(optimizer_hooks::WeightDecay{1e-3});
//
// Frozen parameters take no part: their gradients are neither changed nor counted.
#pragma once

#include <string_view>

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizer_hooks {

struct WeightDecay {  ///< g += rate p
  static constexpr std::string_view kName = "WeightDecay";
  double rate;
  void operator()(UpdateRule& rule) const;
};

struct Lasso {  ///< g += rate sign(p)
  static constexpr std::string_view kName = "Lasso";
  double rate;
  void operator()(UpdateRule& rule) const;
};

struct GradientHardClipping {  ///< g = min(max(g, lower_bound), upper_bound)
  static constexpr std::string_view kName = "GradientHardClipping";
  double lower_bound, upper_bound;
  void operator()(UpdateRule& rule) const;
};

struct GradientNoise {  ///< g += N(0, eta / (1 + t)^0.55), Neelakantan et al. 2015; t counts steps of the parameter
  static constexpr std::string_view kName = "GradientNoise";
  double eta;
  void operator()(UpdateRule& rule) const;
};

/// Layer-wise adaptive rate scaling (You et al. 2017):  g = (g + weight_decay p) r,
/// r = |p| / (eps + |g| + weight_decay |p|) where |p| > threshold, else 1.
struct GradientLARS {
  static constexpr std::string_view kName = "GradientLARS";
  double threshold = 1e-2, weight_decay = 0.0, eps = 1e-9;
  void operator()(UpdateRule& rule) const;
};

/// Scales all gradients by threshold / norm if their common norm exceeds `threshold` (Pascanu et al. 2013).
/// Throws DeviceError if the parameters are on several devices.
struct GradientClipping {
  static constexpr std::string_view kName = "GradientClipping";
  double threshold;
  void operator()(Optimizer& optimizer) const;
};

}  // namespace renkei::optimizer_hooks
