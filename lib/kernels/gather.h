// Kernel keys: picking rows.
#pragma once

#include <span>
#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// y[k] = x[rows[k]] / divisor, converted from the dtype of x to that of y on the way. Divisor 0 means none.
///   x (n, S)   y (len(rows), S). Rows are inside x. A division needs a floating dtype of y; it is exact to the last
///   bit: float32(x) / float32(divisor). Runs in the calling thread alone, so that loader threads may start it.
struct GatherRows {
  static constexpr std::string_view kName = "gather_rows";
  using Fn = void(const Array& x, std::span<const std::int64_t> rows, double divisor, const Array& y);
};

}  // namespace renkei::kernels
