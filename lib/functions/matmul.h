// Matrix products.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

struct MatMulOptions {
  bool transa = false;  ///< transpose the last two axes of a
  bool transb = false;  ///< transpose the last two axes of b
  Array out = {};       ///< where to write the result: an array of its shape, or none for a new one
};

/// y = op(a) op(b), op transposing where asked.
///   a (..., m, k)   b (..., k, n)   ->   y (..., m, n), leading axes equal. A vector stands for a row on the left
///   and for a column on the right, and its axis is dropped from the result.
/// Differentiable in both, twice. Throws ShapeError naming both shapes.
Variable matmul(const Variable& a, const Variable& b, const MatMulOptions& options = {});

}  // namespace renkei::functions
