// Kernel keys: moving elements between arrays by position. Any dtype unless said otherwise.
#pragma once

#include <array>
#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// A part of a row-major array: element (i0, i1, ...) of the part is element `offset + i0 strides[0] + ...`, counted in
/// elements. A stride of 0 repeats, a negative one runs backwards.
struct StridedPart {
  std::int64_t offset = 0;
  std::array<std::int64_t, Shape::kMaxDims> strides{};
};

/// y[i...] = x[part(i...)]; the shape of the part is that of y.
struct StridedCopy {
  static constexpr std::string_view kName = "strided_copy";
  using Fn = void(const Array& x, const StridedPart& part, const Array& y);
};

/// y[part(i...)] = x[i...]; the shape of the part is that of x, its elements are distinct. Others keep their value.
struct StridedStore {
  static constexpr std::string_view kName = "strided_store";
  using Fn = void(const Array& x, const Array& y, const StridedPart& part);
};

/// y[o, k, i] = x[o, indices[k], i].   x (outer, m, inner)   indices (n), int64, from 0 to m - 1   y (outer, n, inner)
struct Take {
  static constexpr std::string_view kName = "take";
  using Fn = void(const Array& x, const Array& indices, const Array& y);
};

/// y[o, indices[k], i] += x[o, k, i], for k in order.   x (outer, n, inner)   y (outer, m, inner); float32 or float64
struct TakeAdd {
  static constexpr std::string_view kName = "take_add";
  using Fn = void(const Array& x, const Array& indices, const Array& y);
};

/// y[i] = condition[i] ? a[i] : b[i]; same size, condition bool, the others of one dtype.
struct Where {
  static constexpr std::string_view kName = "where";
  using Fn = void(const Array& condition, const Array& a, const Array& b, const Array& y);
};

}  // namespace renkei::kernels
