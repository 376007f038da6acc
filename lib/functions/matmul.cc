#include <renkei/lib/functions/matmul.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/kernels/matmul.h>

namespace renkei::functions {
namespace {

[[noreturn]] void throw_no_fit(const Shape& a, const Shape& b, const MatMulOptions& options) {
  const std::string_view left = options.transa ? "a (..., k, m)" : "a (..., m, k)";
  const std::string_view right = options.transb ? "b (..., n, k)" : "b (..., k, n)";
  throw ShapeError{"matmul", {{"a", a}, {"b", b}},
                   std::string{left} + " and " + std::string{right} + " with equal k and equal leading axes"};
}

/// Of matrices; vectors are handled by the function below.
class MatMul final : public FunctionNode {
 public:
  explicit MatMul(const MatMulOptions& options) : options_{options} {}
  std::string_view name() const override { return "matmul"; }

  Arrays forward(const Arrays& x) override {
    retain_inputs({0, 1});
    const Array &a = x[0], &b = x[1];
    check_equal_dtypes("matmul", {{"a", a}, {"b", b}});
    const Shape shape = result_shape(a.shape(), b.shape());
    Array y = options_.out ? std::move(options_.out) : empty(shape, a.dtype(), a.device());
    if (y.shape() != shape)
      throw ShapeError{"matmul", {{"a", a.shape()}, {"b", b.shape()}, {"out", y.shape()}}, "out of shape " + shape.to_string()};
    check_equal_dtypes("matmul", {{"a", a}, {"out", y}});
    y.device().kernel<kernels::MatMul>()(a, options_.transa, b, options_.transb, y);
    options_.out = {};
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest& request) override {
    const bool ta = options_.transa, tb = options_.transb;
    Variable ga, gb;
    if (request.needs(0)) {
      const Variable b = retained_input(1);
      ga = ta ? matmul(b, gy[0], {.transa = tb, .transb = true, .out = request.home(0)})
              : matmul(gy[0], b, {.transb = !tb, .out = request.home(0)});
    }
    if (request.needs(1)) {
      const Variable a = retained_input(0);
      gb = tb ? matmul(gy[0], a, {.transa = true, .transb = ta, .out = request.home(1)})
              : matmul(a, gy[0], {.transa = !ta, .out = request.home(1)});
    }
    return {ga, gb};
  }

 private:
  Shape result_shape(const Shape& a, const Shape& b) const {
    const int rank = a.ndim();
    if (b.ndim() != rank) throw_no_fit(a, b, options_);
    const std::int64_t m = a[options_.transa ? rank - 1 : rank - 2], k = a[options_.transa ? rank - 2 : rank - 1];
    const std::int64_t n = b[options_.transb ? rank - 2 : rank - 1];
    bool fits = k == b[options_.transb ? rank - 1 : rank - 2];
    for (int axis = 0; axis < rank - 2; ++axis) fits = fits && a[axis] == b[axis];
    if (!fits) throw_no_fit(a, b, options_);
    return a.with(rank - 2, m).with(rank - 1, n);
  }

  MatMulOptions options_;
};

}  // namespace

Variable matmul(const Variable& a, const Variable& b, const MatMulOptions& options) {
  if (a.ndim() >= 2 && b.ndim() >= 2) return apply<MatMul>({a, b}, options);
  if (a.ndim() == 0 || b.ndim() == 0 || a.ndim() > 2 || b.ndim() > 2) throw_no_fit(a.shape(), b.shape(), options);

  MatMulOptions product = options;
  Variable row = a, column = b;
  std::vector<std::int64_t> extents;
  if (a.ndim() == 1) {
    row = reshape(a, Shape{1, a.size()});
    product.transa = false;
  } else {
    extents.push_back(a.shape()[options.transa ? 1 : 0]);
  }
  if (b.ndim() == 1) {
    column = reshape(b, Shape{b.size(), 1});
    product.transb = false;
  } else {
    extents.push_back(b.shape()[options.transb ? 0 : 1]);
  }
  if (row.shape()[product.transa ? 0 : 1] != column.shape()[product.transb ? 1 : 0]) throw_no_fit(a.shape(), b.shape(), options);
  const Shape shape{extents};
  if (options.out) {
    if (options.out.shape() != shape) throw ShapeError{"matmul", {{"out", options.out.shape()}}, "out of shape " + shape.to_string()};
    product.out = options.out.reshape({a.ndim() == 1 ? 1 : extents.front(), b.ndim() == 1 ? 1 : extents.back()});
  }
  return reshape(apply<MatMul>({row, column}, product), shape);
}

}  // namespace renkei::functions
