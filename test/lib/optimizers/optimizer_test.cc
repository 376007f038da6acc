#include <catch2/catch.hpp>

#include <renkei/lib/functions/evaluation.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/links/chain_list.h>
#include <renkei/lib/optimizers/adam.h>
#include <renkei/lib/optimizers/momentum_sgd.h>
#include <renkei/lib/optimizers/rmsprop.h>
#include <renkei/lib/optimizers/sgd.h>
#include <renkei/lib/optimizers/smorms3.h>

#include "lib/optimizers/models.h"

using namespace models;
using Catch::Matchers::Contains;

TEST_CASE("a model with lazy shapes learns exclusive or") {
  default_generator().reset(1);
  MLP model;
  optimizers::SGD optimizer{0.5};
  optimizer.setup(model);
  for (int i = 0; i < 1000; ++i) optimizer.update(loss_of(model));
  CHECK(to_double(loss_of(model)().data()) < 0.05);
  CHECK(to_double(functions::accuracy(model.forward(kInput), kLabels).data()) == 1.0);
  CHECK(optimizer.t() == 1000);
}

TEST_CASE("an optimizer without a model says that setup is missing") {
  optimizers::SGD optimizer;
  CHECK_THROWS_WITH(optimizer.update(), Contains("setup"));
  CHECK_THROWS_WITH(optimizer.add_hook([](Optimizer&) {}), Contains("setup"));
  CHECK_THROWS_AS(optimizer.target(), StateError);
}

TEST_CASE("hyper-parameters are members and have names") {
  optimizers::Adam optimizer{{.alpha = 0.5, .beta2 = 0.9}};
  CHECK(optimizer.get("alpha") == 0.5);
  optimizer.set("alpha", 0.25);
  CHECK(optimizer.alpha == 0.25);
  optimizer.alpha = 0.125;
  CHECK(optimizer.get("alpha") == 0.125);
  CHECK(optimizer.get("beta2") == 0.9);
  CHECK(optimizer.get("eta") == 1.0);
  CHECK_THROWS_WITH(optimizer.set("lr", 1.0), Contains("got lr") && Contains("alpha, beta1, beta2"));
}

TEST_CASE("a parameter without a gradient takes part with zeros") {
  Pair model;
  optimizers::MomentumSGD optimizer{{.lr = 1.0, .momentum = 0.5}};
  optimizer.setup(model);
  model.set_grads(1, 1);
  optimizer.update();
  CHECK(first(model.a) == 0.0f);
  model.cleargrads();
  optimizer.update();
  CHECK(first(model.a) == -0.5f);
  CHECK(to_vector<float>(model.a.grad().data()) == std::vector<float>{0, 0, 0});
}

TEST_CASE("a rule may have values of its own and follow the optimizer again") {
  Pair model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  optimizer.rule("b").set("lr", 0.25);
  CHECK(optimizer.rule("b").get("lr") == 0.25);
  CHECK(optimizer.rule("a").get("lr") == 1.0);
  model.set_grads(1, 1);
  optimizer.update();
  CHECK(first(model.a) == 0.0f);
  CHECK(first(model.b) == 1.75f);
  optimizer.rule("b").unset("lr");
  optimizer.lr = 0.5;
  optimizer.update();
  CHECK(first(model.a) == -0.5f);
  CHECK(first(model.b) == 1.25f);
  CHECK_THROWS_WITH(optimizer.rule("b").set("rate", 1), Contains("rate") && Contains("lr"));
  CHECK_THROWS_WITH(optimizer.rule("c"), Contains("got c") && Contains("a, b"));
}

TEST_CASE("a frozen parameter does not move, others around it do") {
  struct Three : Chain {
    Parameter a{*this, "a", 1.0, {3}}, b{*this, "b", 1.0, {3}}, c{*this, "c", 1.0, {3}};
  } model;
  optimizers::Adam optimizer{{.alpha = 0.5}};
  optimizer.setup(model);
  optimizer.rule("b").enabled = false;
  for (const auto& [path, parameter] : model.named_params())
    parameter->set_grad(Variable{full({3}, 1.0, Dtype::float32)});
  optimizer.update();
  optimizer.update();
  CHECK(first(model.a) < 1.0f);
  CHECK(first(model.b) == 1.0f);
  CHECK(first(model.c) == first(model.a));
  CHECK(optimizer.rule("b").t() == 0);
  optimizer.rule("b").enabled = true;
  optimizer.update();
  CHECK(optimizer.rule("b").t() == 1);
  CHECK(first(model.b) == Approx(0.5));  // a first step of its own, bias corrected with t = 1
}

TEST_CASE("whole links are frozen and freed") {
  MLP model;
  model.forward(kInput);
  optimizers::SGD optimizer{0.1};
  optimizer.setup(model);
  optimizer.disable_update(model.l1);
  auto before = values_of(model);
  optimizer.update(loss_of(model));
  auto after = values_of(model);
  CHECK(after[0] == before[0]);
  CHECK(after[1] == before[1]);
  CHECK(after[3] != before[3]);
  CHECK(model.l1.W.grad());
  optimizer.enable_update(model);
  optimizer.update(loss_of(model));
  CHECK(values_of(model)[0] != before[0]);
  MLP other;
  CHECK_THROWS_AS(optimizer.disable_update(other.l1), ValueError);
}

TEST_CASE("a loss that depends on no parameter is an error") {
  Pair model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  CHECK_THROWS_WITH(optimizer.update([] { return Variable{full({}, 1.0, Dtype::float32)}; }), Contains("no-backprop"));
  CHECK_THROWS_WITH(optimizer.update([&] {
    const NoBackpropMode mode;
    return functions::sum(model.a);
  }), Contains("does not depend on any parameter"));
  CHECK(optimizer.t() == 0);
}

TEST_CASE("a layer that was never used stays out, and joins when it gets a shape") {
  struct Branches : Chain {
    links::Linear used{*this, "used", 2}, idle{*this, "idle", 2};
    bool both = false;
    Variable forward(const Variable& x) { return both ? used(x) + idle(x) : used(x); }
  } model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  optimizer.update(loss_of(model));
  optimizer.update(loss_of(model));
  CHECK_FALSE(model.idle.W.is_initialized());
  CHECK(optimizer.rule("idle/W").t() == 0);
  const auto moment = to_vector<float>(optimizer.rule("used/W").state("m"));
  model.both = true;
  model.forward(kInput);
  CHECK(to_vector<float>(optimizer.rule("used/W").state("m")) == moment);
  optimizer.update(loss_of(model));
  CHECK(optimizer.rule("idle/W").t() == 1);
  CHECK(optimizer.rule("used/W").t() == 3);
}

TEST_CASE("a layer that is added during training is trained too, and the others keep their state") {
  struct Growing : Chain {
    ChainList layers{*this, "layers"};
    Growing() { layers.add(links::Linear{2, 2}); }
    Variable forward(Variable x) {
      for (std::size_t i = 0; i < layers.size(); ++i) x = layers.at<links::Linear>(i)(x);
      return x;
    }
  } model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  optimizer.update(loss_of(model));
  const auto velocity = to_vector<float>(optimizer.rule("layers/0/W").state("v"));
  auto& added = model.layers.add(links::Linear{2, 2});
  const auto before = to_vector<float>(added.W.data());
  CHECK(to_vector<float>(optimizer.rule("layers/0/W").state("v")) == velocity);
  optimizer.update(loss_of(model));
  CHECK(to_vector<float>(added.W.data()) != before);
  CHECK(optimizer.rule("layers/0/W").t() == 2);
}

TEST_CASE("a parameter on two paths is stepped once") {
  struct Tied : Chain {
    links::Linear encode{*this, "encode", 2, 2};
    Tied() { register_child("decode", encode); }
  } model;
  CHECK(model.named_params().size() == 4);
  CHECK(model.count_params() == 6);
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  CHECK(optimizer.rules().size() == 2);
  const float before = first(model.encode.W);
  model.encode.W.set_grad(Variable{full({2, 2}, 1.0, Dtype::float32)});
  optimizer.update();
  CHECK(first(model.encode.W) == Approx(before - 1.0f));
}

TEST_CASE("float64 and float32 parameters live in one model") {
  struct Mixed : Chain {
    Parameter a{*this, "a", to_array<double>({1, 2, 3}, {3})}, b{*this, "b", to_array<float>({1, 2}, {2})};
  } model;
  optimizers::Adam optimizer{{.alpha = 0.5}};
  optimizer.setup(model);
  CHECK(optimizer.arena().blocks().size() == 2);
  model.a.set_grad(Variable{to_array<double>({1, 1, 1}, {3})});
  model.b.set_grad(Variable{to_array<float>({1, 1}, {2})});
  optimizer.update();
  CHECK(to_vector<double>(model.a.data())[0] == Approx(0.5).epsilon(1e-6));
  CHECK(first(model.b) == Approx(0.5));
}

TEST_CASE("a step gives the same bits with one thread and with two") {
  Device& device = get_device("cpu");
  const int threads = device.threads();
  const auto train = [&](int count) {
    device.set_threads(count);
    default_generator().reset(3);
    struct Wide : Chain {
      links::Linear l{*this, "l", 333, 1001};
    } model;
    optimizers::Adam optimizer{{.weight_decay_rate = 0.01}};
    optimizer.setup(model);
    Array gradient = empty_like(model.l.W.data());
    for (int i = 0; i < 3; ++i) {
      initializers::Normal{1.0}(gradient);
      model.l.W.set_grad(Variable{gradient});
      optimizer.update();
    }
    return values_of(model);
  };
  const auto one = train(1), two = train(2), three = train(3);
  device.set_threads(threads);
  CHECK((one == two));
  CHECK((one == three));
}

TEST_CASE("gaps between parameters do no harm, even where they divide zero by zero") {
  Pair model;
  optimizers::RMSprop optimizer{{.lr = 0.1, .eps = 0.0}};
  optimizer.setup(model);
  for (int i = 0; i < 3; ++i) {
    model.set_grads(1, 1);
    optimizer.update();
  }
  CHECK(std::isfinite(first(model.a)));
  CHECK(std::isfinite(first(model.b)));
  CHECK(std::isfinite(to_vector<float>(model.b.data())[3]));
}

TEST_CASE("NaN in one gradient stays in its parameter") {
  Pair model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  model.set_grads(std::numeric_limits<double>::quiet_NaN(), 1);
  optimizer.update();
  CHECK(std::isnan(first(model.a)));
  CHECK(std::isfinite(first(model.b)));
}

TEST_CASE("a parameter of size zero is no obstacle") {
  struct Empty : Chain {
    Parameter none{*this, "none", 0.0, {0, 3}}, some{*this, "some", 1.0, {1}};
  } model;
  optimizers::SGD optimizer{1.0};
  optimizer.setup(model);
  model.some.set_grad(Variable{to_array<float>({1}, {1})});
  optimizer.update();
  CHECK(first(model.some) == 0.0f);
}

TEST_CASE("alpha_t is the corrected step size of the last step") {
  Pair model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  CHECK_THROWS_AS(optimizer.alpha_t(), StateError);
  model.set_grads(1, 1);
  optimizer.update();
  CHECK(optimizer.alpha_t() == Approx(0.001 * std::sqrt(0.001) / 0.1));
}

TEST_CASE("an eps that float32 cannot hold is refused, zero and float64 are not") {
  Pair model;
  optimizers::Adam optimizer{{.eps = 1e-60}};
  optimizer.setup(model);
  model.set_grads(1, 1);
  CHECK_THROWS_WITH(optimizer.update(), Contains("eps") && Contains("1e-60"));
  optimizer.eps = 0.0;
  CHECK_NOTHROW(optimizer.update());
}

TEST_CASE("steps ask the operating system for no memory") {
  Device& device = get_device("cpu");
  MLP model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  for (int i = 0; i < 3; ++i) optimizer.update(loss_of(model));
  const std::size_t before = device.reserved_bytes();
  for (int i = 0; i < 50; ++i) optimizer.update(loss_of(model));
  CHECK(device.reserved_bytes() == before);
}

TEST_CASE("setup starts anew") {
  Pair first_model, second_model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(first_model);
  optimizer.add_hook([](Optimizer&) { throw StateError{"called"}; });
  optimizer.new_epoch();
  CHECK(optimizer.epoch() == 1);
  optimizer.setup(second_model);
  CHECK(optimizer.epoch() == 0);
  second_model.set_grads(1, 1);
  optimizer.update();
  CHECK(optimizer.t() == 1);
  CHECK(first(first_model.a) == 1.0f);
}

TEST_CASE("a model with members on the heap is refused by setup") {
  struct Heap : Chain {
    std::vector<links::Linear> layers;
    Heap() {
      layers.reserve(1);
      layers.emplace_back(*this, "layer", 2);
    }
  } model;
  optimizers::SGD optimizer;
  CHECK_THROWS_WITH(optimizer.setup(model), Contains("'layer'"));
}
