#include <catch2/catch.hpp>

#include <cmath>

#include <renkei/lib/optimizers/optimizer_hooks.h>
#include <renkei/lib/optimizers/sgd.h>

#include "lib/optimizers/models.h"

using namespace models;
using namespace renkei::optimizer_hooks;
using Catch::Matchers::Contains;

TEST_CASE("hooks act in the order they were added, before or after the step") {
  Pair model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  std::string calls;
  optimizer.add_hook([&](Optimizer&) { calls += "post "; }, {.name = "p", .timing = HookTiming::post});
  optimizer.add_hook([&](UpdateRule& rule) { calls += rule.path() + " "; }, {.name = "each"});
  optimizer.add_hook([&](Optimizer& o) { calls += std::to_string(o.t()) + " "; });
  model.set_grads(1, 1);
  optimizer.update();
  CHECK(calls == "a b 0 post ");
  optimizer.remove_hook("each");
  calls.clear();
  optimizer.update();
  CHECK(calls == "1 post ");
}

TEST_CASE("names of hooks are unique, of an optimizer and of a rule") {
  Pair model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  optimizer.add_hook(WeightDecay{0.1});
  CHECK_THROWS_WITH(optimizer.add_hook(WeightDecay{0.2}, {.timing = HookTiming::post}),
                    Contains("'WeightDecay' twice"));
  CHECK_NOTHROW(optimizer.add_hook(WeightDecay{0.2}, {.name = "second"}));
  CHECK_NOTHROW(optimizer.rule("a").add_hook(WeightDecay{0.2}));
  CHECK_THROWS_WITH(optimizer.rule("a").add_hook(WeightDecay{0.2}), Contains("a: ") && Contains("twice"));
  CHECK_THROWS_AS(optimizer.remove_hook("third"), ValueError);
  CHECK_THROWS_AS(optimizer.rule("b").remove_hook("WeightDecay"), ValueError);
}

TEST_CASE("clipping scales all gradients by their common norm") {
  Pair model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.add_hook(GradientClipping{1.0});
  model.set_grads(2, 1);  // norm sqrt(3 * 4 + 4) = 4
  optimizer.update();
  CHECK(first(model.a) == Approx(1 - 2 / 4.0));
  CHECK(first(model.b) == Approx(2 - 1 / 4.0));
}

TEST_CASE("clipping leaves small, zero and NaN gradients alone") {
  Pair model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.add_hook(GradientClipping{100.0});
  model.set_grads(2, 1);
  optimizer.update();
  CHECK(first(model.a) == -1.0f);
  model.set_grads(0, 0);
  optimizer.update();
  CHECK(first(model.a) == -1.0f);
  model.set_grads(std::nan(""), 1);
  optimizer.update();
  CHECK(first(model.b) == 0.0f);
}

TEST_CASE("frozen parameters neither count in the norm nor are changed by hooks") {
  Pair model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.rule("b").enabled = false;
  optimizer.add_hook(WeightDecay{1.0});
  optimizer.add_hook(GradientClipping{std::sqrt(3.0)});
  model.set_grads(0, 1000);  // with decay the gradient of a is 1, its norm sqrt(3)
  optimizer.update();
  CHECK(first(model.a) == Approx(0.0));
  CHECK(to_vector<float>(model.b.grad().data())[0] == 1000.0f);
}

TEST_CASE("the norm does not depend on the number of threads") {
  Device& device = get_device("cpu");
  const int threads = device.threads();
  const auto run = [&](int count) {
    device.set_threads(count);
    default_generator().reset(5);
    struct Wide : Chain {
      Parameter w{*this, "w", initializers::Normal{1.0}, {300001}};
    } model;
    optimizers::SGD optimizer{1.0};
    optimizer.setup(model);
    optimizer.add_hook(GradientClipping{1.0});
    optimizer.add_hook(GradientNoise{0.1});
    model.w.set_grad(Variable{copy(model.w.data())});
    optimizer.update();
    return values_of(model);
  };
  const auto one = run(1), two = run(2);
  device.set_threads(threads);
  CHECK((one == two));
}

TEST_CASE("noise has the announced size and another value in each step") {
  struct Wide : Chain {
    Parameter w{*this, "w", 0.0, {100000}};
  } model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.add_hook(GradientNoise{4.0});
  const auto deviation = [&] {
    model.cleargrads();
    optimizer.update();
    double sum = 0, squares = 0;
    const auto noise = to_vector<float>(model.w.grad().data());
    for (const float value : noise) sum += value, squares += double{value} * value;
    CHECK(std::abs(sum / 1e5) < 0.03);
    return std::sqrt(squares / 1e5);
  };
  CHECK(deviation() == Approx(2.0).epsilon(0.01));
  CHECK(deviation() == Approx(std::sqrt(4.0 / std::pow(2.0, 0.55))).epsilon(0.01));
}

TEST_CASE("a hook may replace or drop a gradient") {
  Pair model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.add_hook([&](Optimizer&) {
    model.a.clear_grad();
    model.b.set_grad(Variable{full({2, 2}, 0.5, Dtype::float32)});
  });
  model.set_grads(9, 9);
  optimizer.update();
  CHECK(first(model.a) == 1.0f);
  CHECK(first(model.b) == 1.5f);
}
