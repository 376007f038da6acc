#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/softmax.h>

namespace renkei::functions {
namespace {

/// View as (outer, n, inner) with `axis` in the middle.
Array around(const Array& x, int axis) {
  const Shape& shape = x.shape();
  return x.reshape({shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.ndim())});
}

template <class Key>
Array along(const Array& x, int axis) {
  const Array y = empty_like(x);
  y.device().kernel<Key>()(around(x, axis), around(y, axis));
  return y;
}

class Softmax final : public FunctionNode {
 public:
  explicit Softmax(int axis) : axis_{axis} {}
  std::string_view name() const override { return "softmax"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    axis_ = normalize_axis(name(), axis_, x[0].ndim());
    return {along<kernels::Softmax>(x[0], axis_)};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    const Variable y = retained_output(0), weighted = y * gy[0];
    return {weighted - y * sum(weighted, {axis_}, {.keepdims = true})};
  }

 private:
  int axis_;
};

class LogSoftmax final : public FunctionNode {
 public:
  explicit LogSoftmax(int axis) : axis_{axis} {}
  std::string_view name() const override { return "log_softmax"; }
  Arrays forward(const Arrays& x) override {
    retain_outputs({0});
    axis_ = normalize_axis(name(), axis_, x[0].ndim());
    return {along<kernels::LogSoftmax>(x[0], axis_)};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    return {gy[0] - exp(retained_output(0)) * sum(gy[0], {axis_}, {.keepdims = true})};
  }

 private:
  int axis_;
};

}  // namespace

Variable softmax(const Variable& x, int axis) { return apply<Softmax>({x}, axis); }
Variable log_softmax(const Variable& x, int axis) { return apply<LogSoftmax>({x}, axis); }

}  // namespace renkei::functions
