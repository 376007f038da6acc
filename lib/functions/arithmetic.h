// Arithmetic, element by element. Shapes broadcast as in NumPy: aligned at the end, an extent of 1 stretches.
// All functions are differentiable twice in every Variable. Two Variables must have one dtype (else DtypeError), shapes
// that broadcast (else ShapeError naming both) and one device (else DeviceError). Constants take the dtype of the
// Variable beside them.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei {

namespace functions {

Variable add(const Variable& a, const Variable& b);       ///< a + b
Variable add(const Variables& terms);                     ///< sum of one or more terms, from left to right
Variable subtract(const Variable& a, const Variable& b);  ///< a - b
Variable multiply(const Variable& a, const Variable& b);  ///< a b
Variable divide(const Variable& a, const Variable& b);    ///< a / b
Variable negative(const Variable& x);                     ///< -x

/// scale x + shift for constants.
Variable affine(const Variable& x, double scale, double shift);

Variable power(const Variable& a, const Variable& b);  ///< a ^ b; its gradient needs a > 0
Variable power(const Variable& x, double exponent);    ///< x ^ exponent; 0 ^ 0 is 1 with gradient 0
Variable power(double base, const Variable& x);        ///< base ^ x; its gradient needs base > 0

Variable exp(const Variable& x);
Variable log(const Variable& x);  ///< natural logarithm
Variable sin(const Variable& x);
Variable cos(const Variable& x);
Variable sqrt(const Variable& x);
Variable square(const Variable& x);
Variable absolute(const Variable& x);  ///< |x|; the slope at 0 is 0

}  // namespace functions

Variable operator+(const Variable& a, const Variable& b);
Variable operator+(const Variable& a, double b);
Variable operator+(double a, const Variable& b);
Variable operator-(const Variable& a, const Variable& b);
Variable operator-(const Variable& a, double b);
Variable operator-(double a, const Variable& b);
Variable operator*(const Variable& a, const Variable& b);
Variable operator*(const Variable& a, double b);
Variable operator*(double a, const Variable& b);
Variable operator/(const Variable& a, const Variable& b);
Variable operator/(const Variable& a, double b);
Variable operator/(double a, const Variable& b);
Variable operator-(const Variable& x);

}  // namespace renkei
