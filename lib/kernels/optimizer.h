// Kernel keys for optimizers. The rule of an optimizer is one functor, shared by all devices: it gets an element of
// the parameter, its gradient and its states, and changes all but the gradient. One pass over memory does the step.
// A new optimizer costs one functor here and its name in the list at the end; devices register the whole list.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include <renkei/lib/core/array.h>
#include <renkei/lib/kernels/elementwise.h>

namespace renkei::kernels {

/// op(p[i], g[i], states[0][i], ...) for Op::kStates states; flat arrays of one size, dtype (float32 or float64) and
/// device that do not overlap. Each element depends on nothing else, so neither on the number of threads.
template <class Op>
struct OptimizerStep {
  static constexpr std::string_view kName = Op::kName;
  using Fn = void(const Op& op, const Array& p, const Array& g, std::span<const Array> states);
};

#ifdef __CUDACC__
#define RENKEI_HOST_DEVICE __host__ __device__
#else
#define RENKEI_HOST_DEVICE
#endif

struct SgdStep {
  static constexpr std::string_view kName = "sgd_step";
  static constexpr int kStates = 0;
  double lr;
  template <class T> RENKEI_HOST_DEVICE void operator()(T& p, T g) const { p -= T(lr) * g; }
};

using StepOps = OpList<SgdStep>;

#undef RENKEI_HOST_DEVICE

}  // namespace renkei::kernels
