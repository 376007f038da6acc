// Kernel keys for optimizers. The rule of an optimizer is one functor, shared by all devices: it gets an element of
// the parameter, its gradient and its states, and changes all but the gradient. One pass over memory does the step.
// A new optimizer costs one functor here and its name in the list at the end; devices register the whole list.
// Names follow Chainer; what depends on t only is computed once per step, on the host.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include <renkei/lib/core/array.h>
#include <renkei/lib/kernels/elementwise.h>
#include <renkei/lib/kernels/host_device.h>

namespace renkei::kernels {

/// op(p[i], g[i], states[0][i], ...) for Op::kStates states; flat arrays of one size, dtype (float32 or float64) and
/// device that do not overlap. Each element depends on nothing else, so neither on the number of threads.
template <class Op>
struct OptimizerStep {
  static constexpr std::string_view kName = Op::kName;
  using Fn = void(const Op& op, const Array& p, const Array& g, std::span<const Array> states);
};

struct SgdStep {
  static constexpr std::string_view kName = "sgd_step";
  static constexpr int kStates = 0;
  double lr;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g) const { p -= T(lr) * g; }
};

struct MomentumSgdStep {
  static constexpr std::string_view kName = "momentum_sgd_step";
  static constexpr int kStates = 1;
  double lr, momentum;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& v) const {
    v = T(momentum) * v - T(lr) * g;
    p += v;
  }
};

struct CorrectedMomentumSgdStep {
  static constexpr std::string_view kName = "corrected_momentum_sgd_step";
  static constexpr int kStates = 1;
  double lr, momentum;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& v) const {
    v = T(momentum) * v - g;
    p += T(lr) * v;
  }
};

struct NesterovAgStep {
  static constexpr std::string_view kName = "nesterov_ag_step";
  static constexpr int kStates = 1;
  double lr, momentum;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& v) const {
    v = T(momentum) * v - T(lr) * g;
    p += T(momentum * momentum) * v - T((1.0 + momentum) * lr) * g;
  }
};

struct AdaGradStep {
  static constexpr std::string_view kName = "ada_grad_step";
  static constexpr int kStates = 1;
  double lr, eps;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& h) const {
    h += g * g;
    p -= T(lr) * g / (std::sqrt(h) + T(eps));
  }
};

struct AdaDeltaStep {
  static constexpr std::string_view kName = "ada_delta_step";
  static constexpr int kStates = 2;
  double rho, eps;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& msg, T& msdx) const {
    msg = T(rho) * msg + T(1.0 - rho) * g * g;
    const T dx = std::sqrt((msdx + T(eps)) / (msg + T(eps))) * g;
    msdx = T(rho) * msdx + T(1.0 - rho) * dx * dx;
    p -= dx;
  }
};

struct RmsPropStep {  // one of the two eps is 0
  static constexpr std::string_view kName = "rmsprop_step";
  static constexpr int kStates = 1;
  double lr, alpha, eps_inside, eps_outside;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& ms) const {
    ms = T(alpha) * ms + T(1.0 - alpha) * g * g;
    p -= T(lr) * g / (std::sqrt(ms + T(eps_inside)) + T(eps_outside));
  }
};

struct RmsPropGravesStep {
  static constexpr std::string_view kName = "rmsprop_graves_step";
  static constexpr int kStates = 3;
  double lr, alpha, momentum, eps;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& n, T& mean, T& delta) const {
    n = T(alpha) * n + T(1.0 - alpha) * g * g;
    mean = T(alpha) * mean + T(1.0 - alpha) * g;
    delta = T(momentum) * delta - T(lr) * g / std::sqrt(n - mean * mean + T(eps));
    p += delta;
  }
};

struct Smorms3Step {
  static constexpr std::string_view kName = "smorms3_step";
  static constexpr int kStates = 3;
  double lr, eps;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& mem, T& mean, T& square) const {
    const T r = T(1) / (mem + T(1));
    mean = (T(1) - r) * mean + r * g;
    square = (T(1) - r) * square + r * g * g;
    const T x = mean * mean / (square + T(eps));
    p -= g * (x < T(lr) ? x : T(lr)) / (std::sqrt(square) + T(eps));
    mem = T(1) + mem * (T(1) - x);
  }
};

struct MsvagStep {  // Balles and Hennig 2018; `correction` is 1 - beta^t
  static constexpr std::string_view kName = "msvag_step";
  static constexpr int kStates = 2;
  double lr, beta, eta, weight_decay_rate, correction, rho;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& m, T& v) const {
    m += T(1.0 - beta) * (g - m);
    v += T(1.0 - beta) * (g * g - v);
    const T mean = m / T(correction), mean2 = mean * mean;
    const T s = (v / T(correction) - mean2) / T(1.0 - rho);
    T factor = mean2 / (mean2 + T(rho) * s);
    factor = factor > T(0) ? (factor < T(1) ? factor : T(1)) : T(0);  // NaN, from 0 / 0, counts as 0
    p -= T(eta) * (T(lr) * mean * factor + T(weight_decay_rate) * p);
  }
};

/// Kingma and Ba 2015 with the bias correction in the step size; AMSGrad (Reddi et al. 2018) remembers the largest v;
/// AdaBound (Luo et al. 2019) keeps the step between two bounds. `keep` is 1 - eta * weight_decay_rate.
template <bool bounded>
struct AdamStep {
  static constexpr std::string_view kName = bounded ? "ada_bound_step" : "adam_step";
  static constexpr int kStates = 2;
  double alpha_t, beta1, beta2, eps, eta, keep, lower, upper;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& m, T& v) const {
    update_moments(g, m, v);
    move(p, m, v);
  }
  template <class T> RENKEI_HOST_DEVICE void update_moments(T g, T& m, T& v) const {
    m += T(1.0 - beta1) * (g - m);
    v += T(1.0 - beta2) * (g * g - v);
  }
  template <class T> RENKEI_HOST_DEVICE void move(T& p, T m, T v) const {
    T step = T(alpha_t) / (std::sqrt(v) + T(eps));
    if constexpr (bounded) step = step < T(lower) ? T(lower) : step > T(upper) ? T(upper) : step;
    p = T(keep) * p - T(eta) * step * m;
  }
};

template <bool bounded>
struct AmsGradStep : AdamStep<bounded> {
  static constexpr std::string_view kName = bounded ? "ams_bound_step" : "ams_grad_step";
  static constexpr int kStates = 3;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g, T& m, T& v, T& vhat) const {
    this->update_moments(g, m, v);
    vhat = vhat < v ? v : vhat;
    this->move(p, m, vhat);
  }
};

using StepOps =
    OpList<SgdStep, MomentumSgdStep, CorrectedMomentumSgdStep, NesterovAgStep, AdaGradStep, AdaDeltaStep, RmsPropStep,
           RmsPropGravesStep, Smorms3Step, MsvagStep, AdamStep<false>, AdamStep<true>, AmsGradStep<false>,
           AmsGradStep<true>>;

}  // namespace renkei::kernels
