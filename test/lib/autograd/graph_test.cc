// The graph: what is kept alive, what is cut, which thread and device it belongs to.
#include <catch2/catch.hpp>

#include <thread>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/reduction.h>
#include <support/throws.h>

using namespace renkei;

namespace {

Variable leaf(std::initializer_list<float> elements, const std::string& device = "cpu") {
  return Variable{to_array<float>(elements, {static_cast<std::int64_t>(elements.size())}, get_device(device)), RequiresGrad::yes};
}

std::vector<float> elements(const Variable& x) { return to_vector<float>(x.data()); }

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("a chain of 100 000 functions runs forward, backward and is freed without recursion") {
  const Variable x = leaf({-1, 2});
  Variable y = x;
  for (int i = 0; i < 100000; ++i) y = functions::relu(y);
  const std::weak_ptr<FunctionNode> last = y.creator();
  y.set_grad(Variable{to_array<float>({1, 1}, {2})});
  y.backward();
  CHECK(elements(x.grad()) == Floats{0, 1});
  y = {};
  CHECK(last.expired());
}

TEST_CASE("a long chain with fan-out is freed without recursion") {
  const Variable x = leaf({1});
  Variable y = x;
  for (int i = 0; i < 50000; ++i) y = y * 0.5 + y * 0.5;
  CHECK(elements(y) == Floats{1});
  y = {};
}

TEST_CASE("a long chain of double backprop is freed without recursion") {
  const Variable x = leaf({0.5});
  Variable y = x;
  for (int i = 0; i < 20000; ++i) y = functions::tanh(y);
  y.backward({.enable_double_backprop = true});
  x.grad().backward();
  x.clear_grad();
}

TEST_CASE("a graph dies with its last output") {
  std::weak_ptr<FunctionNode> function;
  std::weak_ptr<VariableNode> input;
  {
    Variable loss;
    {
      const Variable x = leaf({1, 2});
      input = x.node();
      loss = functions::sum(functions::square(x));
      function = loss.creator();
    }
    CHECK_FALSE(input.expired());
    loss.backward();
    CHECK_FALSE(function.expired());
  }
  CHECK(function.expired());
  CHECK(input.expired());
}

TEST_CASE("a gradient with a graph of its own makes no cycle") {
  std::weak_ptr<FunctionNode> function;
  std::weak_ptr<VariableNode> node;
  {
    const Variable x = leaf({1, 2});
    const Variable y = functions::sum(functions::exp(x) * x);
    y.backward({.retain_grad = true, .enable_double_backprop = true});
    function = x.grad().creator();
    node = x.node();
    REQUIRE_FALSE(function.expired());
  }
  CHECK(function.expired());
  CHECK(node.expired());
}

TEST_CASE("intermediate arrays live as long as backward needs them") {
  const Variable x = leaf({1, 2});
  std::weak_ptr<VariableNode> intermediate;
  Variable y;
  {
    const Variable hidden = functions::exp(x);
    intermediate = hidden.node();
    y = functions::sum(hidden * hidden);
  }
  CHECK_FALSE(intermediate.expired());
  y.backward();
  CHECK(elements(x.grad())[0] == Approx(2 * std::exp(2.0)));
}

TEST_CASE("unchain forgets the graph behind a variable") {
  const Variable x = leaf({3});
  const Variable y = functions::square(x);
  const std::weak_ptr<FunctionNode> square = y.creator();
  y.unchain();
  CHECK(square.expired());
  const Variable z = y * 2.0;
  z.backward();
  CHECK(elements(y.grad()) == Floats{2});
  CHECK_FALSE(x.grad());
}

TEST_CASE("detach stops the gradient and keeps the value") {
  const Variable x = leaf({3});
  const Variable y = functions::square(x).detach() * x;
  y.backward();
  CHECK(elements(x.grad()) == Floats{9});
}

TEST_CASE("constants take no gradient and keep no graph") {
  const Variable constant{to_array<float>({1, 2}, {2})};
  const Variable y = functions::exp(constant) * 2.0;
  CHECK_FALSE(y.requires_grad());
  CHECK_FALSE(y.creator());
  y.backward();  // nothing to do
  CHECK_FALSE(constant.grad());
}

TEST_CASE("operands on two devices are refused, naming both") {
  test::check_error<DeviceError>([] { leaf({1}) + leaf({1}, "cpu:1"); }, {"add", "cpu and cpu:1"});
}

TEST_CASE("a gradient crosses devices through copy") {
  const Variable x = leaf({3});
  const Variable y = functions::square(functions::copy(x, get_device("cpu:1")));
  CHECK(y.device().name() == "cpu:1");
  y.backward();
  CHECK(x.grad().device().name() == "cpu");
  CHECK(elements(x.grad()) == Floats{6});
}

TEST_CASE("modes belong to the thread and are restored at the end of the scope") {
  const Variable x = leaf({1});
  {
    const NoBackpropMode no_backprop;
    const TestMode test_mode;
    CHECK_FALSE(functions::exp(x).requires_grad());
    bool elsewhere = false, training = false;
    std::thread{[&] {
      elsewhere = functions::exp(x).requires_grad();
      training = config().train;
    }}.join();
    CHECK(elsewhere);
    CHECK(training);
    CHECK_FALSE(config().train);
  }
  CHECK(functions::exp(x).requires_grad());
  CHECK(config().train);
}

TEST_CASE("modes are restored when an exception leaves the scope") {
  try {
    const NoBackpropMode no_backprop;
    throw 0;
  } catch (int) {
  }
  CHECK(config().enable_backprop);
}

TEST_CASE("two threads build and differentiate graphs of their own") {
  std::vector<std::thread> threads;
  std::array<float, 4> results{};
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&results, i] {
      const Variable x = leaf({static_cast<float>(i)});
      for (int repeat = 0; repeat < 200; ++repeat) {
        x.clear_grad();
        functions::sum(functions::square(x) * x).backward();
      }
      results[i] = elements(x.grad())[0];
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(results == std::array<float, 4>{0, 3, 12, 27});
}
