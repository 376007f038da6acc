// Changing shape and order, joining and cutting. All differentiable twice.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// The same elements in another shape; shares memory with x. One extent may be -1: it is computed.
/// Throws ShapeError naming both shapes when the sizes differ.
Variable reshape(const Variable& x, std::initializer_list<std::int64_t> extents);
Variable reshape(const Variable& x, const std::vector<std::int64_t>& extents);
Variable reshape(const Variable& x, const Shape& shape);

}  // namespace renkei::functions
