// Gradients: where they end up and how they add.
#include <catch2/catch.hpp>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/connection.h>
#include <renkei/lib/functions/matmul.h>
#include <renkei/lib/functions/reduction.h>
#include <support/throws.h>

using namespace renkei;

namespace {

Variable leaf(std::initializer_list<float> elements) {
  return Variable{to_array<float>(elements, {static_cast<std::int64_t>(elements.size())}), RequiresGrad::yes};
}

std::vector<float> elements(const Variable& x) { return to_vector<float>(x.data()); }

using Floats = std::vector<float>;

/// A leaf whose gradient belongs into a slice of a larger buffer, as in a parameter arena.
struct Housed : Variable {
  Housed(const Array& data, const Array& home) : Variable{data, RequiresGrad::yes} { body_->grad_home = home; }
  bool at_home() const { return grad() && grad().data().is(body_->grad_home); }
};

Housed housed(std::initializer_list<float> elements, const Shape& shape) {
  return {to_array<float>(elements, shape), full({shape.size() + 2}, NAN, Dtype::float32).slice(1, shape.size() + 1).reshape(shape)};
}

}  // namespace

TEST_CASE("backward adds to the gradient that is there") {
  const Variable x = leaf({-1, 2});
  for (int pass = 1; pass <= 2; ++pass) {
    const Variable y = functions::relu(x);
    y.set_grad(Variable{to_array<float>({3, 5}, {2})});
    y.backward();
    CHECK(elements(x.grad()) == Floats{0, 5.0f * static_cast<float>(pass)});
  }
}

TEST_CASE("a variable used several times gets the sum of its gradients") {
  const Variable x = leaf({2});
  const Variable shared = functions::square(x);
  const Variable y = shared * shared + shared * 3.0 + x;  // x^4 + 3 x^2 + x
  y.backward();
  CHECK(elements(x.grad()) == Floats{32 + 12 + 1});
}

TEST_CASE("a function of one variable in both places gets both gradients") {
  const Variable x = leaf({3});
  (x * x).backward();
  CHECK(elements(x.grad()) == Floats{6});
  x.clear_grad();
  (x - x).backward();
  CHECK(elements(x.grad()) == Floats{0});
}

TEST_CASE("no graph is built in no-backprop mode") {
  const Variable x = leaf({-1, 2});
  const NoBackpropMode no_backprop;
  CHECK_FALSE(functions::relu(x).requires_grad());
}

TEST_CASE("backward starts from the loss scale, from a gradient set beforehand, or refuses") {
  const Variable x = leaf({1, 2});
  functions::sum(x).backward({.loss_scale = 8});
  CHECK(elements(x.grad()) == Floats{8, 8});
  test::check_error<ShapeError>([&] { (x * 2.0).backward(); }, {"backward", "(2,)", "single element"});
  test::check_error<ShapeError>([&] { x.set_grad(leaf({1})); }, {"set_grad", "(1,)", "(2,)"});
  test::check_error<DtypeError>([&] { x.set_grad(Variable{zeros({2}, Dtype::float64)}); }, {"float64", "float32"});
}

TEST_CASE("gradients of intermediates are kept only if asked for") {
  const Variable x = leaf({3});
  for (const bool retain : {false, true}) {
    const Variable y = functions::square(x);
    (y * 2.0).backward({.retain_grad = retain});
    CHECK(static_cast<bool>(y.grad()) == retain);
    if (retain) CHECK(elements(y.grad()) == Floats{2});
  }
}

TEST_CASE("an output nobody keeps takes no gradient and hinders none") {
  const Variable x = leaf({1, 2, 3, 4});
  Variable y;
  {
    const Variables parts = functions::split_axis(x, 2, 0);
    y = functions::sum(functions::square(parts[1]));
  }
  y.backward();
  CHECK(elements(x.grad()) == Floats{0, 0, 6, 8});
}

TEST_CASE("a gradient is written into its home, and adds up there") {
  const Housed w = housed({1, 2, 3, 4}, {2, 2}), b = housed({0, 0}, {2});
  const Variable x{to_array<float>({1, -1}, {1, 2})};
  for (int pass = 1; pass <= 2; ++pass) {
    functions::sum(functions::linear(x, w, b)).backward();
    CHECK(w.at_home());
    CHECK(b.at_home());
    const auto n = static_cast<float>(pass);
    CHECK(elements(w.grad()) == Floats{n, -n, n, -n});
    CHECK(elements(b.grad()) == Floats{n, n});
  }
  w.clear_grad();
  functions::sum(functions::linear(x, w, b)).backward();
  CHECK(w.at_home());
  CHECK(elements(w.grad()) == Floats{1, -1, 1, -1});
  CHECK(elements(b.grad()) == Floats{3, 3});
}

TEST_CASE("a gradient that several functions contribute to adds up in its home") {
  const Housed w = housed({1, 2, 3, 4}, {2, 2});
  const Variable x{to_array<float>({1, 1}, {1, 2})};
  functions::sum(functions::linear(functions::linear(x, w), w)).backward();
  CHECK(w.at_home());
  CHECK(elements(w.grad()) == Floats{7, 11, 9, 13});  // gy x^T of both: [3 7; 3 7] + [4 4; 6 6]
}

TEST_CASE("a function that takes one parameter twice does not write both gradients into one home") {
  const Housed w = housed({1, 2, 3, 4}, {2, 2});
  functions::sum(functions::matmul(w, w)).backward();
  CHECK(w.at_home());
  CHECK(elements(w.grad()) == Floats{3 + 4, 7 + 4, 3 + 6, 7 + 6});
}

TEST_CASE("double backprop leaves a gradient that can be differentiated") {
  const Variable x = leaf({2});
  const Variable y = functions::power(x, 3.0);
  y.backward({.enable_double_backprop = true});
  const Variable gx = x.grad();
  CHECK(elements(gx) == Floats{12});
  x.clear_grad();
  gx.backward({.enable_double_backprop = true});
  const Variable ggx = x.grad();
  CHECK(elements(ggx) == Floats{12});
  x.clear_grad();
  ggx.backward();
  CHECK(elements(x.grad()) == Floats{6});
}

TEST_CASE("without double backprop a gradient is a constant") {
  const Variable x = leaf({2});
  functions::square(x).backward();
  CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("grad gives gradients of intermediates and leaves and stores none") {
  const Variable x = leaf({2});
  const Variable y = functions::square(x), z = functions::square(y);
  const Variables gradients = grad({z}, {x, y, z});
  CHECK(elements(gradients[0]) == Floats{32});
  CHECK(elements(gradients[1]) == Floats{8});
  CHECK(elements(gradients[2]) == Floats{1});
  CHECK_FALSE(x.grad());
  CHECK_FALSE(y.grad());
}

TEST_CASE("grad is absent for what no output depends on") {
  const Variable x = leaf({2}), other = leaf({1}), constant{to_array<float>({1}, {1})};
  const Variables gradients = grad({functions::square(x)}, {other, constant, x});
  CHECK_FALSE(gradients[0]);
  CHECK_FALSE(gradients[1]);
  CHECK(elements(gradients[2]) == Floats{4});
}

TEST_CASE("grad sums over outputs, weighted by their gradients, and wants one for each") {
  const Variable x = leaf({2});
  const Variable a = x * 3.0, b = functions::square(x);
  CHECK(elements(grad({a, b}, {x})[0]) == Floats{7});
  const Variable ten{to_array<float>({10}, {1})};
  CHECK(elements(grad({a, b}, {x}, {.grad_outputs = {ten, Variable{}}})[0]) == Floats{34});
  test::check_error<ValueError>([&] { grad({a, b}, {x}, {.grad_outputs = {ten}}); }, {"grad_outputs", "got 1"});
}

TEST_CASE("a gradient penalty is differentiated through the gradient") {
  // y = sum(x^3), penalty = sum((dy/dx)^2) = sum(9 x^4), its gradient 36 x^3
  const Variable x = leaf({1, -2});
  const Variable y = functions::sum(functions::power(x, 3.0));
  const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
  functions::sum(functions::square(gx)).backward();
  CHECK(elements(x.grad()) == Floats{36, -288});
}

TEST_CASE("an error inside a gradient names the function") {
  class Broken final : public FunctionNode {
   public:
    std::string_view name() const override { return "broken"; }
    Arrays forward(const Arrays& x) override { return {x[0]}; }
    Variables backward(const Variables& gy, const GradRequest&) override { return {functions::sum(gy[0])}; }
  };
  const Variable y = functions::sum(apply<Broken>({leaf({1, 2})}));
  test::check_error<ShapeError>([&] { y.backward(); }, {"gradient of broken", "()", "(2,)"});
}
