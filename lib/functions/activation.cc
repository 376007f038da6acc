#include <renkei/lib/functions/activation.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/kernels/elementwise.h>

namespace renkei::functions {
namespace {

/// g where y > 0, else 0. Linear in g, and y is piecewise constant in its effect: no gradient flows into y.
class ReluGrad final : public FunctionNode {
 public:
  std::string_view name() const override { return "relu_grad"; }

  Arrays forward(const Arrays& inputs) override {
    retain_inputs({0});
    Array gx = empty_like(inputs[1]);
    gx.device().kernel<kernels::Binary<kernels::ReluGrad>>()({}, inputs[0], inputs[1], gx);
    return {gx};
  }

  Variables backward(const Variables& ggx, const GradRequest&) override {
    return {Variable{}, apply<ReluGrad>({retained_input(0).detach(), ggx[0]})};
  }
};

class Relu final : public FunctionNode {
 public:
  std::string_view name() const override { return "relu"; }

  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    Array y = empty_like(x[0]);
    y.device().kernel<kernels::Unary<kernels::Relu>>()({}, x[0], y);
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest&) override {
    return {apply<ReluGrad>({retained_output(0).detach(), gy[0]})};
  }
};

}  // namespace

Variable relu(const Variable& x) { return apply<Relu>({x}); }

}  // namespace renkei::functions
