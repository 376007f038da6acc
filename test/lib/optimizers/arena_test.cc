// Parameters, gradients and states in flat buffers.
#include <catch2/catch.hpp>

#include <renkei/lib/optimizers/adam.h>
#include <renkei/lib/optimizers/momentum_sgd.h>

#include "lib/optimizers/models.h"

using namespace models;

namespace {

bool lies_in(const Array& part, const Array& whole) {
  return part.raw_data() >= whole.raw_data() && part.raw_data() + part.bytes() <= whole.raw_data() + whole.bytes();
}

}  // namespace

TEST_CASE("after setup parameters are views of one buffer, at aligned places, with their values") {
  Pair model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  REQUIRE(optimizer.arena().blocks().size() == 1);
  const auto& block = optimizer.arena().blocks()[0];
  CHECK(block.data.shape() == Shape{32});
  for (const auto& slot : block.slots) {
    CHECK(slot.offset % 16 == 0);
    CHECK(lies_in(slot.data, block.data));
  }
  CHECK(lies_in(model.a.data(), block.data));
  CHECK(lies_in(model.b.data(), block.data));
  CHECK(to_vector<float>(model.a.data()) == std::vector<float>{1, 1, 1});
  CHECK(to_vector<float>(model.b.data()) == std::vector<float>{2, 2, 2, 2});
}

TEST_CASE("gradients are brought home, whoever made them") {
  MLP model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  optimizer.update(loss_of(model));
  const auto& block = optimizer.arena().blocks()[0];
  CHECK(lies_in(model.l1.W.grad().data(), block.grad));
  model.cleargrads();
  loss_of(model)().backward();
  CHECK(lies_in(model.l1.W.grad().data(), block.grad));
  const auto from_backward = to_vector<float>(model.l1.W.grad().data());
  model.l1.W.set_grad(Variable{full_like(model.l1.W.data(), 0.5)});
  optimizer.arena().collect_gradients();
  CHECK(lies_in(model.l1.W.grad().data(), block.grad));
  CHECK(to_vector<float>(model.l1.W.grad().data()) == std::vector<float>(16, 0.5f));
}

TEST_CASE("gradients accumulate over several losses in the buffer") {
  MLP model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  optimizer.update(loss_of(model));
  model.cleargrads();
  loss_of(model)().backward();
  const auto once = to_vector<float>(model.l2.b.grad().data());
  loss_of(model)().backward();
  CHECK(to_vector<float>(model.l2.b.grad().data())[0] == Approx(2 * once[0]));
}

TEST_CASE("loading and assigning keep parameters in the buffer") {
  Pair model, other;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  fill(other.a.data(), 7.0);
  const auto& block = optimizer.arena().blocks()[0];
  model = other;
  CHECK(lies_in(model.a.data(), block.data));
  CHECK(first(model.a) == 7.0f);
  fill(other.a.data(), 8.0);
  load(model, save(other));
  CHECK(lies_in(model.a.data(), block.data));
  CHECK(first(model.a) == 8.0f);
  CHECK(optimizer.arena().is_current());
}

TEST_CASE("a model that moves to another device takes its state along") {
  Pair model;
  optimizers::MomentumSGD optimizer{{.lr = 1.0, .momentum = 0.5}};
  optimizer.setup(model);
  model.set_grads(1, 1);
  optimizer.update();
  Device& other = get_device("cpu:1");
  model.to_device(other);
  model.set_grads(0, 0);
  optimizer.update();
  CHECK(&model.a.data().device() == &other);
  CHECK(first(model.a) == -0.5f);
  CHECK(&optimizer.rule("a").state("v").device() == &other);
}

TEST_CASE("a model that is replaced as a whole goes on training") {
  MLP model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  optimizer.update(loss_of(model));
  model = MLP{};
  const auto steps = optimizer.t();
  optimizer.update(loss_of(model));
  CHECK(optimizer.t() == steps + 1);
  CHECK(optimizer.arena().is_current());
  CHECK(lies_in(model.l1.W.data(), optimizer.arena().blocks()[0].data));
}

TEST_CASE("two optimizers may share the parameters of a model") {
  Pair model;
  optimizers::MomentumSGD one{{.lr = 1.0}}, two{{.lr = 1.0}};
  one.setup(model);
  two.setup(model);
  model.set_grads(1, 1);
  one.update();
  CHECK(first(model.a) == 0.0f);
  two.update();
  CHECK(first(model.a) == -1.0f);
}

TEST_CASE("parameters outlive the optimizer that arranged them") {
  Pair model;
  {
    optimizers::MomentumSGD optimizer;
    optimizer.setup(model);
  }
  CHECK(to_vector<float>(model.b.data()) == std::vector<float>{2, 2, 2, 2});
  Pair copy = model;
  CHECK(first(copy.a) == 1.0f);
}
