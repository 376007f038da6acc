// Kernel keys: matrix products. All arrays have one dtype (float32 or float64) and are row-major.
#pragma once

#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// y[i] = op(a[i]) op(b[i]) for each of `batch` matrices; op transposes where the flag says so.
///   op(a) (m, k)   op(b) (k, n)   y (m, n); any leading axes of size `batch` in all three. Overwrites y.
struct MatMul {
  static constexpr std::string_view kName = "matmul";
  using Fn = void(const Array& a, bool transa, const Array& b, bool transb, const Array& y);
};

/// y = x w^T + b.   x (batch, in)   w (out, in)   b (out) or no array   y (batch, out). Overwrites y.
struct LinearForward {
  static constexpr std::string_view kName = "linear";
  using Fn = void(const Array& x, const Array& w, const Array& b, const Array& y);
};

}  // namespace renkei::kernels
