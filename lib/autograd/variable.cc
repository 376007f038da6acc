#include <renkei/lib/autograd/variable.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>

namespace renkei {

Variable::Variable(const Array& data) : Variable{data, RequiresGrad::no} {}

Variable::Variable(const Array& data, RequiresGrad requires_grad)
    : body_{std::make_shared<VariableBody>(data)} {
  if (requires_grad == RequiresGrad::no) return;
  if (!is_floating(data.dtype())) throw DtypeError{"variable", {{"data", data.dtype()}}, "a floating type to take gradients"};
  body_->node = std::make_shared<VariableNode>(data.shape(), data.dtype(), body_);
}

void Variable::throw_absent() const {
  if (!body_) throw StateError{"variable: absent (it was never given an array)"};
  throw StateError{"variable: no array yet (a parameter whose shape is not known)"};
}

const Variable& Variable::grad() const {
  static const Variable absent;
  return body_ ? body_->grad : absent;
}

void Variable::set_grad(const Variable& grad) const {
  if (grad) {
    if (grad.shape() != shape()) throw ShapeError{"set_grad", {{"grad", grad.shape()}, {"data", shape()}}, "equal shapes"};
    if (grad.dtype() != dtype()) throw DtypeError{"set_grad", {{"grad", grad.dtype()}, {"data", dtype()}}, "equal dtypes"};
  }
  body_->grad = grad;
}

void Variable::clear_grad() const { body_->grad = {}; }

void Variable::unchain() const {
  if (body_->node) body_->node->creator = nullptr;
}

std::shared_ptr<FunctionNode> Variable::creator() const { return node() ? node()->creator : nullptr; }

}  // namespace renkei
