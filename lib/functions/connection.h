// Functions with weights.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// Affine map  y = x w^T + b.   Layout: row-major.
///   x (batch axes..., rest...)   w (out, in)   b (out) or absent   ->   y (batch axes..., out)
/// The first `n_batch_axes` axes of x are kept; the others are flattened and must have `in` elements.
/// Differentiable in x, w and b, twice.
/// Throws ShapeError if `in` differs, DtypeError if dtypes are mixed, DeviceError across devices.
Variable linear(const Variable& x, const Variable& w, const Variable& b = {}, int n_batch_axes = 1);

}  // namespace renkei::functions
