// Kernel keys: reductions. Any reduction is one or more of these steps over a run of neighbouring axes, seen as the
// middle axis of three. All arrays have one dtype (float32 or float64) unless said otherwise;
// y is overwritten.
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

/// y[i, j] = largest (smallest) of x[i, k, j] over k; NaN wins. n is at least 1.
struct Max {
  static constexpr std::string_view kName = "max";
  using Fn = void(const Array& x, const Array& y);
};
struct Min {
  static constexpr std::string_view kName = "min";
  using Fn = void(const Array& x, const Array& y);
};

/// y[i, j] = first k at which x[i, k, j] is largest (smallest); NaN wins. n is at least 1; y int32.
struct Argmax {
  static constexpr std::string_view kName = "argmax";
  using Fn = void(const Array& x, const Array& y);
};
struct Argmin {
  static constexpr std::string_view kName = "argmin";
  using Fn = void(const Array& x, const Array& y);
};

}  // namespace renkei::kernels
