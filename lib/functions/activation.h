// Activation functions.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// y = max(x, 0), element by element; NaN passes through. The slope at 0 is 0.
Variable relu(const Variable& x);

}  // namespace renkei::functions
