// For function authors: a strided part of an array as a function. Transposing, slicing and flipping are such parts.
#pragma once

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/kernels/indexing.h>

namespace renkei::functions {

struct StridedView {
  Shape shape;
  kernels::StridedPart part;
};

/// Strides of a row-major array, in elements.
std::array<std::int64_t, Shape::kMaxDims> row_major_strides(const Shape& shape);

/// The elements of `view`, which are distinct elements of x, in a new array; shares memory with x where they are
/// neighbours. `name` appears in errors. Differentiable twice.
Variable strided_view(std::string_view name, const Variable& x, const StridedView& view);

}  // namespace renkei::functions
