// Functions that add noise while training, and pass their input on in test mode (see Config::train).
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

struct DropoutOptions {
  Array mask = {};               ///< use this mask, of 0 and 1 / (1 - ratio), instead of drawing one
  Array* return_mask = nullptr;  ///< receives the mask that was used; no array where nothing was dropped
};

/// Each element becomes 0 with probability `ratio`, else it is scaled by 1 / (1 - ratio), so that its mean stays.
/// The mask is a pure function of the generator's seed and stream and of the element's place in the batch (see
/// RandomScope), not of threads or devices. In test mode, or with ratio 0 and no mask, x itself. Differentiable twice.
/// Throws ValueError unless 0 <= ratio < 1, ShapeError for a mask of another shape.
Variable dropout(const Variable& x, double ratio = 0.5, const DropoutOptions& options = {});

}  // namespace renkei::functions
