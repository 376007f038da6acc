#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>

#include "support/capture.h"
#include "support/small_training.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

TEST_CASE("an observed value is in the observation before readers look") {
  const TemporaryFolder out;
  FakeUpdater updater{10, 5};
  Trainer trainer{updater, {2, "epoch"}, out.path()};
  std::vector<double> seen;
  trainer.extend([&](Trainer& t) {
    if (const Reported* found = t.observation().find("twice")) seen.push_back(found->value());
  });
  trainer.extend(extensions::observe_value("twice", [](Trainer& t) { return 2.0 * static_cast<double>(t.updater().iteration()); }));
  trainer.run();
  CHECK(seen == std::vector<double>{4, 8});  // once an epoch
}

TEST_CASE("observe_lr shows the configured rate: alpha of Adam, lr of SGD") {
  const TemporaryFolder out;
  links::Linear model{2, 1};
  optimizers::Adam adam{{.alpha = 0.25}};
  optimizers::SGD sgd{{.lr = 0.5}};
  adam.setup(model);
  sgd.setup(model);
  FakeUpdater updater;
  updater.known_optimizers = {{"main", &adam}, {"other", &sgd}};
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  trainer.extend(extensions::observe_lr(), {.trigger = {1, "iteration"}});
  trainer.extend(extensions::observe_lr("other", "other/lr"), {.trigger = {1, "iteration"}});
  trainer.run();
  CHECK(trainer.observation().find("lr")->value() == 0.25);
  CHECK(trainer.observation().find("other/lr")->value() == 0.5);
}

TEST_CASE("observe_lr of an optimizer that is not there is an error naming it") {
  const TemporaryFolder out;
  const Capture errors;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "epoch"}, out.path()};
  trainer.extend(extensions::observe_lr("generator"));
  check_error<ValueError>([&] { trainer.run(); }, {"generator", "optimizer"});
}
