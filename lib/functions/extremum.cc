// Largest and smallest elements and their positions.
#include <fmt/format.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/elementwise.h>
#include <renkei/lib/functions/reduce_axes.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/reduction.h>

namespace renkei::functions {
namespace {

template <class Key>
class Extremum final : public FunctionNode {
 public:
  Extremum(Axes axes, bool keepdims) : axes_{std::move(axes)}, keepdims_{keepdims} {}
  std::string_view name() const override { return Key::kName; }

  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    retain_outputs({0});
    const Shape& shape = x[0].shape();
    axes_ = normalize_axes(name(), axes_, shape.ndim());
    for (const int axis : axes_)
      if (shape[axis] == 0) throw ShapeError{name(), {{"x", shape}}, fmt::format("at least one element along axis {}", axis)};
    kept_ = reduced_shape(shape, axes_, true);
    const Array y = empty(reduced_shape(shape, axes_, keepdims_), x[0].dtype(), x[0].device());
    reduce_axes<Key>(x[0], axes_, y);
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest&) override {
    const Array x = retained_input(0).data(), y = retained_output(0).data();
    const Variable ties = map(kernels::Equal{}, x, y.reshape(kept_));
    return {ties * reshape(gy[0], kept_)};
  }

 private:
  Axes axes_;
  bool keepdims_;
  Shape kept_;
};

template <class Key>
Variable position(const Variable& x, std::optional<int> axis) {
  if (!axis) return reshape(position<Key>(flatten(x), 0), Shape{});
  const int at = normalize_axis(Key::kName, *axis, x.ndim());
  const Shape& shape = x.shape();
  if (shape[at] == 0) throw ShapeError{Key::kName, {{"x", shape}}, fmt::format("at least one element along axis {}", at)};
  const std::int64_t outer = shape.product(0, at), inner = shape.product(at + 1, shape.ndim());
  const Array y = empty({outer, inner}, Dtype::int32, x.device());
  y.device().kernel<Key>()(x.data().reshape({outer, shape[at], inner}), y);
  return y.reshape(shape.without(at));
}

}  // namespace

Variable max(const Variable& x, const Axes& axes, const ReductionOptions& options) {
  return apply<Extremum<kernels::Max>>({x}, axes, options.keepdims);
}

Variable min(const Variable& x, const Axes& axes, const ReductionOptions& options) {
  return apply<Extremum<kernels::Min>>({x}, axes, options.keepdims);
}

Variable argmax(const Variable& x, std::optional<int> axis) { return position<kernels::Argmax>(x, axis); }
Variable argmin(const Variable& x, std::optional<int> axis) { return position<kernels::Argmin>(x, axis); }

}  // namespace renkei::functions
