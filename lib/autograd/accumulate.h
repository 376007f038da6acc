// Sum of two gradients of one variable. Lives below lib/functions because backward itself needs it.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei {

/// a + b for equal shapes and dtypes; differentiable.
Variable add_gradients(const Variable& a, const Variable& b);

/// a += b in the memory of a; not differentiable.
void add_in_place(const Array& a, const Array& b);

}  // namespace renkei
