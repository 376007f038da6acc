// Kernel keys: moving elements of any dtype between a contiguous array and a strided part of another.
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

}  // namespace renkei::kernels
