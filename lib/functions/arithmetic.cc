#include <renkei/lib/functions/arithmetic.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/functions/elementwise.h>
#include <renkei/lib/functions/reduction.h>

namespace renkei::functions {
namespace {

/// Two operands that broadcast: gradients are summed back to the operands' shapes.
template <class Op>
class BinaryNode : public FunctionNode {
 public:
  std::string_view name() const override { return Op::kName; }

 protected:
  Variable to_operand(std::size_t i, const Variable& gradient) const {
    return sum_to(gradient, inputs()[i]->shape);
  }
};

class Add final : public BinaryNode<kernels::Add> {
 public:
  Arrays forward(const Arrays& x) override { return {map(kernels::Add{}, x[0], x[1])}; }
  Variables backward(const Variables& gy, const GradRequest& request) override {
    return {request.needs(0) ? to_operand(0, gy[0]) : Variable{}, request.needs(1) ? to_operand(1, gy[0]) : Variable{}};
  }
};

class Subtract final : public BinaryNode<kernels::Subtract> {
 public:
  Arrays forward(const Arrays& x) override { return {map(kernels::Subtract{}, x[0], x[1])}; }
  Variables backward(const Variables& gy, const GradRequest& request) override {
    return {request.needs(0) ? to_operand(0, gy[0]) : Variable{}, request.needs(1) ? to_operand(1, -gy[0]) : Variable{}};
  }
};

class Multiply final : public BinaryNode<kernels::Multiply> {
 public:
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {map(kernels::Multiply{}, x[0], x[1])};
  }
  Variables backward(const Variables& gy, const GradRequest& request) override {
    return {request.needs(0) ? to_operand(0, gy[0] * retained_input(1)) : Variable{},
            request.needs(1) ? to_operand(1, gy[0] * retained_input(0)) : Variable{}};
  }
};

class Divide final : public BinaryNode<kernels::Divide> {
 public:
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    return {map(kernels::Divide{}, x[0], x[1])};
  }
  Variables backward(const Variables& gy, const GradRequest& request) override {
    const Variable b = retained_input(1), ga = gy[0] / b;
    return {request.needs(0) ? to_operand(0, ga) : Variable{},
            request.needs(1) ? to_operand(1, -ga * (retained_input(0) / b)) : Variable{}};
  }
};

class Power final : public BinaryNode<kernels::Power> {
 public:
  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    retain_outputs({0});
    return {map(kernels::Power{}, x[0], x[1])};
  }
  Variables backward(const Variables& gy, const GradRequest& request) override {
    const Variable a = retained_input(0), b = retained_input(1);
    return {request.needs(0) ? to_operand(0, gy[0] * b * power(a, b - 1.0)) : Variable{},
            request.needs(1) ? to_operand(1, gy[0] * retained_output(0) * log(a)) : Variable{}};
  }
};

class Affine final : public FunctionNode {
 public:
  Affine(double scale, double shift) : op_{scale, shift} {}
  std::string_view name() const override { return op_.kName; }
  Arrays forward(const Arrays& x) override { return {map(op_, x[0])}; }
  Variables backward(const Variables& gy, const GradRequest&) override {
    if (op_.scale == 1.0) return {gy[0]};
    return {affine(gy[0], op_.scale, 0.0)};
  }

 private:
  kernels::Affine op_;
};

class DivideByConstant final : public FunctionNode {
 public:
  explicit DivideByConstant(double divisor) : op_{divisor} {}
  std::string_view name() const override { return op_.kName; }
  Arrays forward(const Arrays& x) override { return {map(op_, x[0])}; }
  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] / op_.divisor}; }

 private:
  kernels::DivideByConstant op_;
};

class Reciprocal final : public FunctionNode {
 public:
  explicit Reciprocal(double numerator) : op_{numerator} {}
  std::string_view name() const override { return op_.kName; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(op_, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {gy[0] * (-op_.numerator / square(retained_input(0)))};
  }

 private:
  kernels::Reciprocal op_;
};

class PowerConstant final : public FunctionNode {
 public:
  explicit PowerConstant(double exponent) : op_{exponent} {}
  std::string_view name() const override { return op_.kName; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(op_, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    const double exponent = op_.exponent;
    if (exponent == 0.0) return {gy[0] * 0.0};  // a formula would give 0 * 0^-1
    return {gy[0] * (exponent * power(retained_input(0), exponent - 1.0))};
  }

 private:
  kernels::PowerConstant op_;
};

class PowerOfConstant final : public FunctionNode {
 public:
  explicit PowerOfConstant(double base) : op_{base} {}
  std::string_view name() const override { return op_.kName; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {map(op_, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {gy[0] * (std::log(op_.base) * retained_output(0))};
  }

 private:
  kernels::PowerOfConstant op_;
};

}  // namespace

Variable add(const Variable& a, const Variable& b) { return apply<Add>({a, b}); }
Variable subtract(const Variable& a, const Variable& b) { return apply<Subtract>({a, b}); }
Variable multiply(const Variable& a, const Variable& b) { return apply<Multiply>({a, b}); }
Variable divide(const Variable& a, const Variable& b) { return apply<Divide>({a, b}); }
Variable negative(const Variable& x) { return affine(x, -1.0, 0.0); }
Variable affine(const Variable& x, double scale, double shift) { return apply<Affine>({x}, scale, shift); }
Variable power(const Variable& a, const Variable& b) { return apply<Power>({a, b}); }
Variable power(const Variable& x, double exponent) { return apply<PowerConstant>({x}, exponent); }
Variable power(double base, const Variable& x) { return apply<PowerOfConstant>({x}, base); }

Variable add(const Variables& terms) {
  if (terms.empty()) throw ValueError{"add: number of terms", terms.size(), "at least 1"};
  Variable total = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) total = total + terms[i];
  return total;
}

}  // namespace renkei::functions

namespace renkei {

Variable operator+(const Variable& a, const Variable& b) { return functions::add(a, b); }
Variable operator+(const Variable& a, double b) { return functions::affine(a, 1.0, b); }
Variable operator+(double a, const Variable& b) { return functions::affine(b, 1.0, a); }
Variable operator-(const Variable& a, const Variable& b) { return functions::subtract(a, b); }
Variable operator-(const Variable& a, double b) { return functions::affine(a, 1.0, -b); }
Variable operator-(double a, const Variable& b) { return functions::affine(b, -1.0, a); }
Variable operator*(const Variable& a, const Variable& b) { return functions::multiply(a, b); }
Variable operator*(const Variable& a, double b) { return functions::affine(a, b, 0.0); }
Variable operator*(double a, const Variable& b) { return functions::affine(b, a, 0.0); }
Variable operator/(const Variable& a, const Variable& b) { return functions::divide(a, b); }
Variable operator/(const Variable& a, double b) { return apply<functions::DivideByConstant>({a}, b); }
Variable operator/(double a, const Variable& b) { return apply<functions::Reciprocal>({b}, a); }
Variable operator-(const Variable& x) { return functions::negative(x); }

}  // namespace renkei
