// Kernel keys for element-wise functions. Each function is one functor, shared by all devices: a struct with a
// name, its scalar options and a call operator for float and double. A new function costs one functor here and its
// name in the list at the end of its group; devices register whole lists.
#pragma once

#include <cmath>
#include <string_view>

#include <renkei/lib/core/array.h>
#include <renkei/lib/kernels/host_device.h>
#include <renkei/lib/kernels/math.h>

namespace renkei::kernels {

/// y[i] = op(x[i]); same size and dtype (float32 or float64). In place is allowed.
template <class Op>
struct Unary {
  static constexpr std::string_view kName = Op::kName;
  using Fn = void(const Op& op, const Array& x, const Array& y);
};

/// y[i] = op(a[i], b[i]) with a and b broadcast to the shape of y; one dtype. In place where shapes are equal.
template <class Op>
struct Binary {
  static constexpr std::string_view kName = Op::kName;
  using Fn = void(const Op& op, const Array& a, const Array& b, const Array& y);
};

template <class... Ops>
struct OpList {};

// --- one operand ----------------------------------------------------------------------------------------

struct Exp {
  static constexpr std::string_view kName = "exp";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return math::exp(x); }
};

struct Log {
  static constexpr std::string_view kName = "log";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return std::log(x); }
};

struct Sin {
  static constexpr std::string_view kName = "sin";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return std::sin(x); }
};

struct Cos {
  static constexpr std::string_view kName = "cos";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return std::cos(x); }
};

struct Tanh {
  static constexpr std::string_view kName = "tanh";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return math::tanh(x); }
};

struct Sigmoid {  // where exp overflows the result is 0, as it should be
  static constexpr std::string_view kName = "sigmoid";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return T(1) / (T(1) + math::exp(-x)); }
};

struct Absolute {
  static constexpr std::string_view kName = "absolute";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return std::fabs(x); }
};

struct Sign {  // -1, 0 or 1; NaN stays
  static constexpr std::string_view kName = "sign";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; }
};

struct Relu {  // written this way round so that NaN passes through
  static constexpr std::string_view kName = "relu";
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return x < T(0) ? T(0) : x; }
};

struct LeakyRelu {
  static constexpr std::string_view kName = "leaky_relu";
  double slope;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return x < T(0) ? T(slope) * x : x; }
};

struct Affine {  // scale * x + shift: constants on either side of +, -, *
  static constexpr std::string_view kName = "affine";
  double scale, shift;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return T(scale) * x + T(shift); }
};

struct DivideByConstant {  // x / divisor, rounded once
  static constexpr std::string_view kName = "divide_by_constant";
  double divisor;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return x / T(divisor); }
};

struct Reciprocal {  // numerator / x
  static constexpr std::string_view kName = "reciprocal";
  double numerator;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return T(numerator) / x; }
};

struct PowerConstant {  // x ^ exponent; small whole exponents multiply
  static constexpr std::string_view kName = "power_constant";
  double exponent;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const {
    if (exponent == 1.0) return x;
    if (exponent == 2.0) return x * x;
    if (exponent == 3.0) return x * x * x;
    if (exponent == 0.5) return std::sqrt(x);
    return std::pow(x, T(exponent));
  }
};

struct PowerOfConstant {  // base ^ x
  static constexpr std::string_view kName = "power_of_constant";
  double base;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x) const { return std::pow(T(base), x); }
};

using UnaryOps = OpList<Exp, Log, Sin, Cos, Tanh, Sigmoid, Absolute, Sign, Relu, LeakyRelu, Affine, DivideByConstant,
                        Reciprocal, PowerConstant, PowerOfConstant>;

// --- two operands ---------------------------------------------------------------------------------------

struct Add {
  static constexpr std::string_view kName = "add";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return a + b; }
};

struct Subtract {
  static constexpr std::string_view kName = "subtract";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return a - b; }
};

struct Multiply {
  static constexpr std::string_view kName = "multiply";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return a * b; }
};

struct Divide {
  static constexpr std::string_view kName = "divide";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return a / b; }
};

struct Power {
  static constexpr std::string_view kName = "power";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return std::pow(a, b); }
};

struct Equal {  // 1 where equal, else 0
  static constexpr std::string_view kName = "equal";
  template <class T> RENKEI_HOST_DEVICE T operator()(T a, T b) const { return a == b ? T(1) : T(0); }
};

struct LeakyReluGrad {  // g where x > 0, slope * g elsewhere; slope 0 is the gradient of relu
  static constexpr std::string_view kName = "leaky_relu_grad";
  double slope;
  template <class T> RENKEI_HOST_DEVICE T operator()(T x, T g) const { return x > T(0) ? g : T(slope) * g; }
};

struct ReluGrad {
  static constexpr std::string_view kName = "relu_grad";
  template <class T> RENKEI_HOST_DEVICE T operator()(T y, T g) const { return y > T(0) ? g : T(0); }
};

struct SigmoidGrad {  // y (1 - y) g
  static constexpr std::string_view kName = "sigmoid_grad";
  template <class T> RENKEI_HOST_DEVICE T operator()(T y, T g) const { return y * (T(1) - y) * g; }
};

struct TanhGrad {  // (1 - y^2) g
  static constexpr std::string_view kName = "tanh_grad";
  template <class T> RENKEI_HOST_DEVICE T operator()(T y, T g) const { return (T(1) - y * y) * g; }
};

using BinaryOps =
    OpList<Add, Subtract, Multiply, Divide, Power, Equal, LeakyReluGrad, ReluGrad, SigmoidGrad, TanhGrad>;

}  // namespace renkei::kernels
