#include <renkei/lib/functions/connection.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/matmul.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/matmul.h>

namespace renkei::functions {
namespace {

class Linear final : public FunctionNode {
 public:
  explicit Linear(int n_batch_axes) : n_batch_axes_{n_batch_axes} {}
  std::string_view name() const override { return "linear"; }

  Arrays forward(const Arrays& inputs) override {
    const Array &x = inputs[0], &w = inputs[1], &b = inputs[2];
    check(x, w, b);
    retain_inputs({0, 1});
    const std::int64_t rows = x.shape().product(0, n_batch_axes_), out = w.shape()[0];
    const Array y = empty({rows, out}, x.dtype(), x.device());
    y.device().kernel<kernels::LinearForward>()(x.reshape({rows, w.shape()[1]}), w, b, y);
    if (n_batch_axes_ == 1) return {y};
    std::vector<std::int64_t> extents{x.shape().begin(), x.shape().begin() + n_batch_axes_};
    extents.push_back(out);
    return {y.reshape(Shape{extents})};
  }

  Variables backward(const Variables& gy, const GradRequest& request) override {
    const Variable x = retained_input(0), w = retained_input(1);
    const Shape rows{x.shape().product(0, n_batch_axes_), w.shape()[0]};
    const Variable g = reshape(gy[0], rows);
    Variable gx, gw, gb;
    if (request.needs(0)) gx = reshape(matmul(g, w), x.shape());
    if (request.needs(1))
      gw = matmul(g, reshape(x, Shape{rows[0], w.shape()[1]}), {.transa = true, .out = request.home(1)});
    if (request.needs(2)) gb = sum(g, {0}, {.out = request.home(2)});
    return {gx, gw, gb};
  }

 private:
  void check(const Array& x, const Array& w, const Array& b) const {
    const bool axes = n_batch_axes_ >= 1 && n_batch_axes_ <= x.ndim();
    if (!axes) throw ValueError{"linear: n_batch_axes", n_batch_axes_, "from 1 to the " + std::to_string(x.ndim()) + " axes of x"};
    const bool fits = w.ndim() == 2 && x.shape().product(n_batch_axes_, x.ndim()) == w.shape()[1];
    if (!fits || (b && b.shape() != Shape{w.shape()[0]})) {
      std::vector<NamedShape> got{{"x", x.shape()}, {"w", w.shape()}};
      if (b) got.push_back({"b", b.shape()});
      throw ShapeError{"linear", got, b ? "x (batch, in), w (out, in) and b (out) with equal in and out"
                                        : "x (batch, in) and w (out, in) with equal in"};
    }
    check_equal_dtypes("linear", {{"x", x}, {"w", w}, {"b", b}});
  }

  int n_batch_axes_;
};

}  // namespace

Variable linear(const Variable& x, const Variable& w, const Variable& b, int n_batch_axes) {
  return apply<Linear>({x, w, b}, n_batch_axes);
}

}  // namespace renkei::functions
