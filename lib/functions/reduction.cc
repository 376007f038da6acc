#include <renkei/lib/functions/reduction.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/reduce_axes.h>
#include <renkei/lib/kernels/reduction.h>

namespace renkei::functions {
namespace {

class Sum final : public FunctionNode {
 public:
  Sum(Axes axes, const SumOptions& options) : axes_{std::move(axes)}, options_{options} {}
  std::string_view name() const override { return "sum"; }

  Arrays forward(const Arrays& x) override {
    axes_ = normalize_axes("sum", axes_, x[0].ndim());
    const Shape shape = reduced_shape(x[0].shape(), axes_, options_.keepdims);
    kept_ = options_.keepdims ? shape : reduced_shape(x[0].shape(), axes_, true);
    Array y = options_.out ? std::move(options_.out) : empty(shape, x[0].dtype(), x[0].device());
    if (y.shape() != shape) throw ShapeError{"sum", {{"x", x[0].shape()}, {"out", y.shape()}}, "out of shape " + shape.to_string()};
    check_equal_dtypes("sum", {{"x", x[0]}, {"out", y}});
    reduce_axes<kernels::Sum>(x[0], axes_, y);
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest&) override {
    return {broadcast_to(reshape(gy[0], kept_), inputs()[0]->shape)};
  }

 private:
  Axes axes_;
  SumOptions options_;
  Shape kept_;  // of the result, with reduced axes kept
};

}  // namespace

Variable sum(const Variable& x, const Axes& axes, const SumOptions& options) { return apply<Sum>({x}, axes, options); }

Variable mean(const Variable& x, const Axes& axes, const ReductionOptions& options) {
  const Variable total = sum(x, axes, {.keepdims = options.keepdims});
  return total * (static_cast<double>(total.size()) / static_cast<double>(x.size()));
}

}  // namespace renkei::functions
