// Activation functions. Shape and dtype of the result are those of x (float32 or float64). Differentiable twice.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// y = max(x, 0), element by element; NaN passes through. The slope at 0 is 0.
Variable relu(const Variable& x);

/// y = x for x > 0, else slope x. The slope at 0 is `slope`.
Variable leaky_relu(const Variable& x, double slope = 0.2);

/// y = 1 / (1 + exp(-x)), element by element; does not overflow.
Variable sigmoid(const Variable& x);

/// Hyperbolic tangent, element by element.
Variable tanh(const Variable& x);

/// y = exp(x) / sum of exp(x) along `axis`; does not overflow. Throws ValueError for an axis that x lacks.
Variable softmax(const Variable& x, int axis = 1);

/// y = log(softmax(x)), computed without rounding small probabilities to 0.
Variable log_softmax(const Variable& x, int axis = 1);

}  // namespace renkei::functions
