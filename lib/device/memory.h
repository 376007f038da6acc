// Kernel keys every device must have: filling, copying and converting whole arrays.
#pragma once

#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// y[i] = value, converted to the dtype of y (any).
struct Fill {
  static constexpr std::string_view kName = "fill";
  using Fn = void(const Array& y, double value);
};

/// y[i] = x[i]; same size, dtype and device.
struct Copy {
  static constexpr std::string_view kName = "copy";
  using Fn = void(const Array& x, const Array& y);
};

/// y[i] = x[i] converted from any dtype to any dtype; same size. Floating to integer truncates.
struct Cast {
  static constexpr std::string_view kName = "cast";
  using Fn = void(const Array& x, const Array& y);
};

}  // namespace renkei::kernels
