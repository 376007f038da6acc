// Saving and loading optimizers.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdio>

#include <renkei/lib/optimizers/ada_delta.h>
#include <renkei/lib/optimizers/ada_grad.h>
#include <renkei/lib/optimizers/adam.h>
#include <renkei/lib/optimizers/corrected_momentum_sgd.h>
#include <renkei/lib/optimizers/momentum_sgd.h>
#include <renkei/lib/optimizers/msvag.h>
#include <renkei/lib/optimizers/nesterov_ag.h>
#include <renkei/lib/optimizers/rmsprop.h>
#include <renkei/lib/optimizers/rmsprop_graves.h>
#include <renkei/lib/optimizers/sgd.h>
#include <renkei/lib/optimizers/smorms3.h>

#include "lib/optimizers/models.h"

using namespace models;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> keys(const Dictionary& saved) {
  std::vector<std::string> result;
  for (const auto& [key, value] : saved)
    if (!key.starts_with("hyperparameters/")) result.push_back(key);
  return result;
}

/// What `action` writes to stderr.
std::string stderr_of(const std::function<void()>& action) {
  std::fflush(stderr);
  std::FILE* file = std::tmpfile();
  const int kept = dup(2);
  dup2(fileno(file), 2);
  action();
  std::fflush(stderr);
  dup2(kept, 2);
  close(kept);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// 3 steps, save, load into fresh objects, 3 steps: the same bits as 6 steps.
template <class T>
void check_exact_resume() {
  const auto start = [](MLP& model, T& optimizer) {
    optimizer.setup(model);
    optimizer.rule("l2/b").set(optimizer.hyperparameter_names()[0], 0.125);
  };
  default_generator().reset(11);
  MLP straight;
  T optimizer;
  start(straight, optimizer);
  for (int i = 0; i < 3; ++i) optimizer.update(loss_of(straight));
  optimizer.new_epoch();
  const Dictionary saved_optimizer = save(optimizer), saved_model = save(straight);
  for (int i = 0; i < 3; ++i) optimizer.update(loss_of(straight));

  MLP resumed;
  T fresh;
  fresh.setup(resumed);
  load(fresh, saved_optimizer);  // first, as updaters do: the parameters have no shape yet
  load(resumed, saved_model);
  CHECK(fresh.t() == 3);
  CHECK(fresh.epoch() == 1);
  for (int i = 0; i < 3; ++i) fresh.update(loss_of(resumed));
  CHECK((values_of(resumed) == values_of(straight)));
  const Dictionary one = save(optimizer), two = save(fresh);
  CHECK(keys(one) == keys(two));
}

}  // namespace

TEST_CASE("a resumed optimizer takes the very steps of one that never stopped") {
  using namespace optimizers;
  check_exact_resume<SGD>();
  check_exact_resume<MomentumSGD>();
  check_exact_resume<CorrectedMomentumSGD>();
  check_exact_resume<NesterovAG>();
  check_exact_resume<AdaGrad>();
  check_exact_resume<AdaDelta>();
  check_exact_resume<RMSprop>();
  check_exact_resume<RMSpropGraves>();
  check_exact_resume<SMORMS3>();
  check_exact_resume<MSVAG>();
  check_exact_resume<Adam>();
  check_exact_resume<AdamW>();
  check_exact_resume<AMSGrad>();
  check_exact_resume<AdaBound>();
  check_exact_resume<AMSBound>();
}

TEST_CASE("counters and states are saved under Chainer's names, states once there are any") {
  Pair model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  CHECK(keys(save(optimizer)) == std::vector<std::string>{"a/t", "b/t", "epoch", "t"});
  model.set_grads(1, 1);
  optimizer.update();
  CHECK(keys(save(optimizer)) == std::vector<std::string>{"a/m", "a/t", "a/v", "b/m", "b/t", "b/v", "epoch", "t"});
}

TEST_CASE("a learning rate that was changed is saved and restored") {
  Pair model, other;
  optimizers::SGD optimizer{0.01}, fresh{0.01};
  optimizer.setup(model);
  fresh.setup(other);
  optimizer.lr = 0.005;
  optimizer.rule("b").set("lr", 0.001);
  load(fresh, save(optimizer));
  CHECK(fresh.lr == 0.005);
  CHECK(fresh.rule("a").get("lr") == 0.005);
  CHECK(fresh.rule("b").get("lr") == 0.001);
}

TEST_CASE("a file of Chainer, which has no hyper-parameters, leaves them alone") {
  Pair model;
  optimizers::MomentumSGD optimizer{{.lr = 0.25}};
  optimizer.setup(model);
  const Dictionary file{{"t", std::int64_t{2}},   {"epoch", std::int64_t{1}}, {"a/t", std::int64_t{2}},
                        {"b/t", std::int64_t{2}}, {"a/v", to_array<float>({1, 2, 3}, {3})},
                        {"b/v", full({2, 2}, 4.0, Dtype::float32)}};
  load(optimizer, file);
  CHECK(optimizer.lr == 0.25);
  CHECK(optimizer.t() == 2);
  CHECK(to_vector<float>(optimizer.rule("a").state("v")) == std::vector<float>{1, 2, 3});
  model.set_grads(0, 0);
  optimizer.update();
  CHECK(first(model.b) == Approx(2.0 + 0.9 * 4.0));
}

TEST_CASE("steps that Chainer counted for a parameter without a shape do not count") {
  MLP model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  const Array zero8 = zeros({8}, Dtype::float32), zero2 = zeros({2}, Dtype::float32);
  const Dictionary file{{"t", std::int64_t{2}},      {"epoch", std::int64_t{0}},    {"l1/W/t", std::int64_t{2}},
                        {"l1/b/t", std::int64_t{2}}, {"l1/b/m", zero8},             {"l1/b/v", zero8},
                        {"l2/W/t", std::int64_t{2}}, {"l2/b/t", std::int64_t{2}},   {"l2/b/m", zero2},
                        {"l2/b/v", zero2}};
  load(optimizer, file);
  CHECK(optimizer.rule("l1/b").t() == 2);
  CHECK(optimizer.rule("l1/W").t() == 0);
  const std::string notice = stderr_of([&] { optimizer.update(loss_of(model)); });
  CHECK(optimizer.rule("l1/W").t() == 1);
  CHECK_THAT(notice, Contains("l1/W"));
}

TEST_CASE("un-freezing a layer after resume starts its state afresh and says so") {
  default_generator().reset(2);
  MLP model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  optimizer.disable_update(model.l1);
  for (int i = 0; i < 2; ++i) optimizer.update(loss_of(model));
  const Dictionary saved_optimizer = save(optimizer), saved_model = save(model);
  CHECK_FALSE(saved_optimizer.contains("l1/W/v"));

  MLP resumed;
  optimizers::MomentumSGD fresh;
  fresh.setup(resumed);
  load(fresh, saved_optimizer);
  load(resumed, saved_model);
  const auto before = values_of(resumed);
  const std::string notice = stderr_of([&] { fresh.update(loss_of(resumed)); });
  CHECK_THAT(notice, Contains("l1/W") && Contains("l1/b") && !Contains("l2/W"));
  CHECK(values_of(resumed)[0] != before[0]);
  const auto v = to_vector<float>(fresh.rule("l1/W").state("v")), g = to_vector<float>(resumed.l1.W.grad().data());
  CHECK(v[0] == Approx(-0.01 * g[0]));  // no momentum from before
  CHECK(stderr_of([&] { fresh.update(loss_of(resumed)); }).empty());
}

TEST_CASE("a layer that stays frozen resumes without its state") {
  Pair model, resumed;
  optimizers::Adam optimizer, fresh;
  optimizer.setup(model);
  optimizer.rule("a").enabled = false;
  model.set_grads(1, 1);
  optimizer.update();
  fresh.setup(resumed);
  fresh.rule("a").enabled = false;
  load(fresh, save(optimizer));
  resumed.set_grads(1, 1);
  CHECK(stderr_of([&] { fresh.update(); }).empty());
  CHECK(fresh.rule("a").t() == 0);
}

TEST_CASE("loading an earlier state into a running optimizer goes back to it") {
  Pair model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  const Dictionary fresh = save(optimizer);
  model.set_grads(1, 1);
  optimizer.update();
  load(optimizer, fresh);
  CHECK(optimizer.t() == 0);
  CHECK(to_vector<float>(optimizer.rule("a").state("v")) == std::vector<float>{0, 0, 0});
}

TEST_CASE("files that do not fit name what is missing, extra or of another shape") {
  Pair model, stepped;
  optimizers::MomentumSGD optimizer, source;
  optimizer.setup(model);
  source.setup(stepped);
  stepped.set_grads(1, 1);
  source.update();

  Dictionary file = save(source);
  file.erase("b/v");
  CHECK_THROWS_WITH(load(optimizer, file), Contains("file.npz") && Contains("b/v"));
  file = save(source);
  file.erase("a/t");
  CHECK_THROWS_WITH(load(optimizer, file), Contains("a/t"));
  file = save(source);
  file["c/v"] = zeros({2}, Dtype::float32);
  CHECK_THROWS_WITH(load(optimizer, file), Contains("c/v"));
  file = save(source);
  file["a/v"] = zeros({4}, Dtype::float32);
  CHECK_THROWS_WITH(load(optimizer, file), Contains("a/v") && Contains("(4,)") && Contains("(3,)"));
}

TEST_CASE("a state of another shape than a parameter that gets its shape later is named") {
  MLP model;
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  Dictionary file;
  for (const char* path : {"l1/W", "l1/b", "l2/W", "l2/b"}) {
    file[std::string{path} + "/t"] = std::int64_t{1};
    file[std::string{path} + "/v"] = zeros({3, 3}, Dtype::float32);
  }
  file["l1/b/v"] = zeros({8}, Dtype::float32);
  file["l2/b/v"] = zeros({2}, Dtype::float32);
  file["t"] = std::int64_t{1};
  file["epoch"] = std::int64_t{0};
  load(optimizer, file);
  CHECK_THROWS_WITH(optimizer.update(loss_of(model)),
                    Contains("v of l1/W") && Contains("(3, 3)") && Contains("(8, 2)"));
}

TEST_CASE("an optimizer file of another kind is refused") {
  Pair model, other;
  optimizers::Adam adam;
  adam.setup(model);
  model.set_grads(1, 1);
  adam.update();
  optimizers::MomentumSGD momentum;
  momentum.setup(other);
  CHECK_THROWS_WITH(load(momentum, save(adam)), Contains("a/v") || Contains("a/m") || Contains("alpha"));
}
