// For function authors: element-wise kernels as plain functions on arrays.
#pragma once

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/kernels/elementwise.h>

namespace renkei::functions {

/// op of every element, in a new array.
template <class Op>
Array map(const Op& op, const Array& x) {
  Array y = empty_like(x);
  y.device().kernel<kernels::Unary<Op>>()(op, x, y);
  return y;
}

/// op of every pair of elements, in a new array of the broadcast shape.
template <class Op>
Array map(const Op& op, const Array& a, const Array& b) {
  check_equal_dtypes(Op::kName, {{"a", a}, {"b", b}});
  Array y = empty(broadcast_shapes(Op::kName, a.shape(), b.shape()), a.dtype(), a.device());
  y.device().kernel<kernels::Binary<Op>>()(op, a, b, y);
  return y;
}

}  // namespace renkei::functions
