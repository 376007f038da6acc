// Reductions over axes, and stretching, which is their gradient. Differentiable twice unless said otherwise.
// `axes`: axis numbers, negative ones from the end; an empty list means all axes. An axis that does not exist or is
// named twice throws ValueError.
#pragma once

#include <optional>

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

struct SumOptions {
  bool keepdims = false;  ///< keep reduced axes with extent 1
  Array out = {};         ///< where to write the result: an array of its shape and dtype, or none for a new one
};

/// Sum over `axes`. The rounding error stays far below that of adding one element after the other, and the result
/// does not depend on the number of threads. An empty sum is 0.
Variable sum(const Variable& x, const Axes& axes = {}, const SumOptions& options = {});

struct ReductionOptions {
  bool keepdims = false;
};

/// Arithmetic mean over `axes`; NaN if there is nothing to average.
Variable mean(const Variable& x, const Axes& axes = {}, const ReductionOptions& options = {});

/// Largest (smallest) element over `axes`; NaN if there is one. The gradient goes to every element that ties.
/// Throws ShapeError if there is no element to choose from.
Variable max(const Variable& x, const Axes& axes = {}, const ReductionOptions& options = {});
Variable min(const Variable& x, const Axes& axes = {}, const ReductionOptions& options = {});

/// Position (int32) of the largest (smallest) element along `axis`, or in the flattened array: the first that ties.
/// Not differentiable. Throws ShapeError if there is no element to choose from.
Variable argmax(const Variable& x, std::optional<int> axis = {});
Variable argmin(const Variable& x, std::optional<int> axis = {});

/// Stretches x to `shape` by NumPy's broadcasting rule; throws ShapeError naming both where it does not fit.
Variable broadcast_to(const Variable& x, const Shape& shape);

/// Sums over the axes along which `shape` would have to be stretched to that of x: the opposite of broadcast_to.
/// Throws ShapeError naming both where `shape` does not stretch to that of x.
Variable sum_to(const Variable& x, const Shape& shape);

}  // namespace renkei::functions
