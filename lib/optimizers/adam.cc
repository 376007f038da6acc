#include <renkei/lib/optimizers/adam.h>

#include <cmath>

#include <renkei/lib/core/error.h>

namespace renkei::optimizers {
namespace {

std::vector<Optimizer::State> states_of(const AdamOptions& options) {
  if (options.amsgrad) return {{"m"}, {"v"}, {"vhat"}};
  return {{"m"}, {"v"}};
}

double corrected(double alpha, double beta1, double beta2, std::int64_t t) {
  const auto steps = static_cast<double>(t);
  return alpha * std::sqrt(1.0 - std::pow(beta2, steps)) / (1.0 - std::pow(beta1, steps));
}

}  // namespace

Adam::Adam(const AdamOptions& options)
    : Optimizer{states_of(options)},
      alpha{*this, "alpha", options.alpha},
      beta1{*this, "beta1", options.beta1},
      beta2{*this, "beta2", options.beta2},
      eps{*this, "eps", options.eps},
      eta{*this, "eta", options.eta},
      weight_decay_rate{*this, "weight_decay_rate", options.weight_decay_rate},
      final_lr{*this, "final_lr", options.final_lr},
      gamma{*this, "gamma", options.gamma},
      initial_alpha{*this, "initial_alpha", options.alpha},
      amsgrad_{options.amsgrad},
      adabound_{options.adabound} {}

double Adam::alpha_t() const {
  if (t() == 0) throw StateError{"Adam: alpha_t is known after the first update"};
  return corrected(alpha, beta1, beta2, t());
}

void Adam::step(const UpdateStep& s) {
  const auto t = static_cast<double>(s.t());
  const double final_rate = s[final_lr] * s[alpha] / s[initial_alpha];
  const kernels::AdamStep<true> rule{corrected(s[alpha], s[beta1], s[beta2], s.t()),
                                     s[beta1],
                                     s[beta2],
                                     s.representable(eps),
                                     s[eta],
                                     1.0 - s[eta] * s[weight_decay_rate],
                                     final_rate * (1.0 - 1.0 / (s[gamma] * t + 1.0)),
                                     final_rate * (1.0 + 1.0 / (s[gamma] * t))};
  const kernels::AdamStep<false> unbounded{rule.alpha_t, rule.beta1, rule.beta2, rule.eps, rule.eta, rule.keep, 0, 0};
  if (adabound_ && amsgrad_) return s.run(kernels::AmsGradStep<true>{rule});
  if (adabound_) return s.run(rule);
  if (amsgrad_) return s.run(kernels::AmsGradStep<false>{unbounded});
  s.run(unbounded);
}

}  // namespace renkei::optimizers
