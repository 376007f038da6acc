#include <renkei/lib/functions/activation.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/elementwise.h>

namespace renkei::functions {
namespace {

/// Lets the gradient g through according to the sign of a gate. Linear in g; the gate is piecewise constant in its
/// effect, so no gradient flows into it.
template <class Op>
class GateGrad final : public FunctionNode {
 public:
  explicit GateGrad(const Op& op) : op_{op} {}
  std::string_view name() const override { return Op::kName; }
  Arrays forward(const Arrays& inputs) override {
    retain_inputs({0});
    return {map(op_, inputs[0], inputs[1])};
  }
  Variables backward(const Variables& ggx, const GradRequest&) override {
    return {Variable{}, apply<GateGrad>({retained_input(0).detach(), ggx[0]}, op_)};
  }

 private:
  Op op_;
};

class Relu final : public FunctionNode {
 public:
  std::string_view name() const override { return "relu"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {map(kernels::Relu{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {apply<GateGrad<kernels::ReluGrad>>({retained_output(0).detach(), gy[0]}, kernels::ReluGrad{})};
  }
};

class LeakyRelu final : public FunctionNode {
 public:
  explicit LeakyRelu(double slope) : op_{slope} {}
  std::string_view name() const override { return "leaky_relu"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {map(op_, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {apply<GateGrad<kernels::LeakyReluGrad>>({retained_input(0).detach(), gy[0]}, kernels::LeakyReluGrad{op_.slope})};
  }

 private:
  kernels::LeakyRelu op_;
};

class SigmoidGrad final : public FunctionNode {
 public:
  std::string_view name() const override { return "sigmoid_grad"; }
  Arrays forward(const Arrays& inputs) override {  // y, g
    retain_inputs({0, 1});
    return {map(kernels::SigmoidGrad{}, inputs[0], inputs[1])};
  }
  Variables backward(const Variables& ggx, const GradRequest& request) override {
    const Variable y = retained_input(0), g = retained_input(1);
    return {request.needs(0) ? ggx[0] * g * (1.0 - 2.0 * y) : Variable{}, request.needs(1) ? ggx[0] * y * (1.0 - y) : Variable{}};
  }
};

class Sigmoid final : public FunctionNode {
 public:
  std::string_view name() const override { return "sigmoid"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {map(kernels::Sigmoid{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {apply<SigmoidGrad>({retained_output(0), gy[0]})}; }
};

class TanhGrad final : public FunctionNode {
 public:
  std::string_view name() const override { return "tanh_grad"; }
  Arrays forward(const Arrays& inputs) override {  // y, g
    retain_inputs({0, 1});
    return {map(kernels::TanhGrad{}, inputs[0], inputs[1])};
  }
  Variables backward(const Variables& ggx, const GradRequest& request) override {
    const Variable y = retained_input(0), g = retained_input(1);
    return {request.needs(0) ? -2.0 * ggx[0] * g * y : Variable{}, request.needs(1) ? ggx[0] * (1.0 - y * y) : Variable{}};
  }
};

class Tanh final : public FunctionNode {
 public:
  std::string_view name() const override { return "tanh"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    return {map(kernels::Tanh{}, x[0])};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {apply<TanhGrad>({retained_output(0), gy[0]})}; }
};

}  // namespace

Variable relu(const Variable& x) { return apply<Relu>({x}); }
Variable leaky_relu(const Variable& x, double slope) { return apply<LeakyRelu>({x}, slope); }
Variable sigmoid(const Variable& x) { return apply<Sigmoid>({x}); }
Variable tanh(const Variable& x) { return apply<Tanh>({x}); }

}  // namespace renkei::functions
