#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/indexing.h>

namespace renkei::functions {
namespace {

class BroadcastTo final : public FunctionNode {
 public:
  explicit BroadcastTo(const Shape& shape) : shape_{shape} {}
  std::string_view name() const override { return "broadcast_to"; }

  Arrays forward(const Arrays& x) override {
    const Shape& from = x[0].shape();
    if (from.ndim() > shape_.ndim() || broadcast_shapes(name(), from, shape_) != shape_)
      throw ShapeError{name(), {{"x", from}, {"shape", shape_}}, "a shape that x stretches to"};
    kernels::StridedPart part;
    std::int64_t stride = 1;
    for (int axis = from.ndim() - 1; axis >= 0; --axis) {
      const int target = axis + shape_.ndim() - from.ndim();
      part.strides[static_cast<std::size_t>(target)] = from[axis] == 1 ? 0 : stride;
      stride *= from[axis];
    }
    const Array y = empty(shape_, x[0].dtype(), x[0].device());
    y.device().kernel<kernels::StridedCopy>()(x[0], part, y);
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest&) override { return {sum_to(gy[0], inputs()[0]->shape)}; }

 private:
  Shape shape_;
};

}  // namespace

Variable broadcast_to(const Variable& x, const Shape& shape) {
  return x.shape() == shape ? x : apply<BroadcastTo>({x}, shape);
}

Variable sum_to(const Variable& x, const Shape& shape) {
  const Shape& from = x.shape();
  if (from == shape) return x;
  const int lead = from.ndim() - shape.ndim();
  bool fits = lead >= 0;
  Axes axes;
  for (int axis = 0; axis < from.ndim() && fits; ++axis) {
    const std::int64_t wanted = axis < lead ? 1 : shape[axis - lead];
    fits = wanted == 1 || wanted == from[axis];
    if (axis < lead || wanted != from[axis]) axes.push_back(axis);
  }
  if (!fits) throw ShapeError{"sum_to", {{"x", from}, {"shape", shape}}, "a shape that stretches to that of x"};
  return reshape(sum(x, axes), shape);
}

}  // namespace renkei::functions
