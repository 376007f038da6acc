#include <catch2/catch.hpp>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>

using namespace renkei;

namespace {

Variable leaf(std::initializer_list<float> elements) {
  return Variable{to_array<float>(elements, {static_cast<std::int64_t>(elements.size())}), RequiresGrad::yes};
}

}  // namespace

TEST_CASE("backward adds to the gradient that is there") {
  const Variable x = leaf({-1, 2});
  for (int pass = 1; pass <= 2; ++pass) {
    const Variable y = functions::relu(x);
    y.set_grad(Variable{to_array<float>({3, 5}, {2})});
    y.backward();
    CHECK(to_vector<float>(x.grad().data()) == std::vector<float>{0, 5.0f * static_cast<float>(pass)});
  }
}

TEST_CASE("a chain of 100 000 functions runs backward and is freed without recursion") {
  const Variable x = leaf({-1, 2});
  Variable y = x;
  for (int i = 0; i < 100000; ++i) y = functions::relu(y);
  y.set_grad(Variable{to_array<float>({1, 1}, {2})});
  y.backward();
  CHECK(to_vector<float>(x.grad().data()) == std::vector<float>{0, 1});
}

TEST_CASE("no graph is built in no-backprop mode") {
  const Variable x = leaf({-1, 2});
  const NoBackpropMode no_backprop;
  CHECK_FALSE(functions::relu(x).requires_grad());
}
