// Kernel keys: softmax over the middle axis of three. All arrays have one dtype (float32 or float64) and shape
// (outer, n, inner); y is overwritten and may be x. Shifted by the largest element, so nothing overflows.
#pragma once

#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// y = exp(x) / sum(exp(x))
struct Softmax {
  static constexpr std::string_view kName = "softmax";
  using Fn = void(const Array& x, const Array& y);
};

/// y = x - log(sum(exp(x)))
struct LogSoftmax {
  static constexpr std::string_view kName = "log_softmax";
  using Fn = void(const Array& x, const Array& y);
};

}  // namespace renkei::kernels
