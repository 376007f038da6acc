// Kernel keys: reductions. Any reduction is one or more of these steps over a run of neighbouring axes, seen as the
// middle axis of three. All arrays have one dtype (float32 or float64); y is overwritten.
#pragma once

#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// y[i, j] = sum over k of x[i, k, j].   x (outer, n, inner)   y (outer, inner). An empty sum is 0.
/// The order of additions depends on the shape alone, and the error grows far slower than n.
struct Sum {
  static constexpr std::string_view kName = "sum";
  using Fn = void(const Array& x, const Array& y);
};

}  // namespace renkei::kernels
