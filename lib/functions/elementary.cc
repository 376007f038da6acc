// Elementary functions of one operand.
#include <cmath>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/elementwise.h>

namespace renkei::functions {
namespace {

class Exp final : public FunctionNode {
 public:
  std::string_view name() const override { return "exp"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {map(kernels::Exp{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] * retained_output(0)}; }
};

class Log final : public FunctionNode {
 public:
  std::string_view name() const override { return "log"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(kernels::Log{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] / retained_input(0)}; }
};

class Sin final : public FunctionNode {
 public:
  std::string_view name() const override { return "sin"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(kernels::Sin{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] * cos(retained_input(0))}; }
};

class Cos final : public FunctionNode {
 public:
  std::string_view name() const override { return "cos"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(kernels::Cos{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] * -sin(retained_input(0))}; }
};

class Absolute final : public FunctionNode {
 public:
  std::string_view name() const override { return "absolute"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(kernels::Absolute{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {gy[0] * Variable{map(kernels::Sign{}, retained_input(0).data())}};
  }
};

}  // namespace

Variable exp(const Variable& x) { return apply<Exp>({x}); }
Variable log(const Variable& x) { return apply<Log>({x}); }
Variable sin(const Variable& x) { return apply<Sin>({x}); }
Variable cos(const Variable& x) { return apply<Cos>({x}); }
Variable absolute(const Variable& x) { return apply<Absolute>({x}); }
Variable sqrt(const Variable& x) { return power(x, 0.5); }
Variable square(const Variable& x) { return power(x, 2.0); }

}  // namespace renkei::functions
