// The functions together, as a small network uses them.
#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/connection.h>
#include <renkei/lib/functions/evaluation.h>
#include <renkei/lib/functions/loss.h>

using namespace renkei;

TEST_CASE("gradient descent on a two-layer network fits four points") {
  const Variable x = to_array<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  const Array t = to_array<std::int32_t>({0, 1, 1, 0}, {4});
  const auto leaf = [](std::initializer_list<float> v, const Shape& shape) { return Variable{to_array<float>(v, shape), RequiresGrad::yes}; };
  std::vector<Variable> parameters{leaf({1, -.5f, -.7f, .9f, .8f, .6f, -.4f, -.3f}, {4, 2}), leaf({0, 0, 0, 0.1f}, {4}),
                                   leaf({.1f, .2f, -.3f, .1f, -.1f, .4f, .2f, -.2f}, {2, 4}), leaf({0, 0}, {2})};
  double first = 0, last = 0;
  Variable y;
  for (int step = 0; step < 2000; ++step) {
    y = functions::linear(functions::relu(functions::linear(x, parameters[0], parameters[1])), parameters[2], parameters[3]);
    const Variable loss = functions::softmax_cross_entropy(y, t);
    loss.backward();
    for (Variable& p : parameters) p = Variable{(p.detach() - p.grad() * 0.3).data(), RequiresGrad::yes};
    (step == 0 ? first : last) = to_double(loss.data());
  }
  CHECK(first == Approx(0.69).margin(0.1));
  CHECK(last < 0.01);
  CHECK(to_double(functions::accuracy(y, t).data()) == 1.0);
}
