#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/trainer/trainer.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Iterations = std::vector<std::int64_t>;

namespace {

/// The iterations at which an extension with this trigger is called.
Iterations fired(TriggerSpec trigger, std::int64_t size, std::int64_t batch, std::int64_t iterations) {
  const TemporaryFolder out;
  FakeUpdater updater{size, batch};
  Trainer trainer{updater, {static_cast<double>(iterations), "iteration"}, out.path()};
  Iterations result;
  trainer.extend([&](Trainer& t) { result.push_back(t.updater().iteration()); }, {.trigger = std::move(trigger)});
  trainer.run();
  return result;
}

/// The same with a snapshot after `at` iterations, read into a new trainer; calls from then on.
Iterations fired_after_resume(double period, const char* unit, std::int64_t at, std::int64_t until, bool with_state = true) {
  const TemporaryFolder out;
  const auto add = [&](Trainer& trainer, Iterations& calls) {
    trainer.extend([&](Trainer& t) { calls.push_back(t.updater().iteration()); }, {.trigger = {period, unit}});
  };
  Iterations before, after;
  FakeUpdater first{4, 2};
  Trainer trainer{first, {static_cast<double>(at), "iteration"}, out.path()};
  if (with_state) add(trainer, before);
  trainer.run();
  FakeUpdater second{4, 2};
  Trainer resumed{second, {static_cast<double>(until), "iteration"}, out.path()};
  add(resumed, after);
  resumed.resume("snapshot", saved(trainer));
  resumed.run();
  return after;
}

std::int64_t iterations_run(TriggerSpec stop, std::int64_t size = 10, std::int64_t batch = 4) {
  const TemporaryFolder out;
  FakeUpdater updater{size, batch};
  Trainer trainer{updater, std::move(stop), out.path()};
  trainer.run();
  return updater.iteration();
}

}  // namespace

TEST_CASE("an interval of epochs fires at the first iteration at or after each epoch") {
  CHECK(fired({1, "epoch"}, 10, 4, 10) == Iterations{3, 5, 8, 10});
  CHECK(fired({2, "epoch"}, 10, 4, 10) == Iterations{5, 10});
  CHECK(fired({1, "epoch"}, 10, 2, 10) == Iterations{5, 10});
  CHECK(fired({1, "epoch"}, 2, 4, 3) == Iterations{1, 2, 3});  // two epochs in an iteration fire once
}

TEST_CASE("an interval of iterations fires at its multiples") {
  CHECK(fired({1, "iteration"}, 10, 4, 3) == Iterations{1, 2, 3});
  CHECK(fired({3, "iteration"}, 10, 4, 10) == Iterations{3, 6, 9});
}

TEST_CASE("fractions of an epoch neither skip nor double a multiple") {
  // 100 iterations an epoch: each tenth one. In floating point 0.3 / 0.1 is 2.
  Iterations expected;
  for (std::int64_t i = 10; i <= 500; i += 10) expected.push_back(i);
  CHECK(fired({0.1, "epoch"}, 1000, 10, 500) == expected);
  CHECK(fired({0.5, "epoch"}, 10, 4, 10) == Iterations{2, 3, 4, 5, 7, 8, 9, 10});
  CHECK(fired({1.5, "epoch"}, 10, 5, 12) == Iterations{3, 6, 9, 12});
}

TEST_CASE("a lambda is a trigger, and so is an object with the trainer's progress") {
  CHECK(fired([](const Trainer& t) { return t.updater().iteration() == 2; }, 10, 4, 5) == Iterations{2});
  CHECK(fired(triggers::IntervalTrigger{2, Unit::iteration}, 10, 4, 5) == Iterations{2, 4});
}

TEST_CASE("periods that are not positive, not whole iterations or of an unknown unit are refused") {
  check_error<ValueError>([] { TriggerSpec(0, "epoch"); }, {"0", "more than 0"});
  check_error<ValueError>([] { TriggerSpec(-1, "epoch"); }, {"-1", "more than 0"});
  check_error<ValueError>([] { TriggerSpec(NAN, "epoch"); }, {"nan", "more than 0"});
  check_error<ValueError>([] { TriggerSpec(0.5, "iteration"); }, {"0.5", "whole"});
  check_error<ValueError>([] { TriggerSpec(1e-9, "epoch"); }, {"millionth"});
  check_error<ValueError>([] { TriggerSpec(1, "epochs"); }, {"epochs", "epoch or iteration"});
}

TEST_CASE("training ends when its length is reached or passed") {
  CHECK(iterations_run({3, "iteration"}) == 3);
  CHECK(iterations_run({2, "epoch"}) == 5);
  CHECK(iterations_run({1, "epoch"}) == 3);
  CHECK(iterations_run({0.5, "epoch"}) == 2);
  CHECK(iterations_run([](const Trainer& t) { return t.updater().iteration() >= 4; }) == 4);
}

TEST_CASE("a run that is longer than the new limit stops at once, a shorter one goes on to it") {
  const TemporaryFolder out;
  FakeUpdater updater{10, 5};
  Trainer trainer{updater, {3, "epoch"}, out.path()};
  trainer.run();
  const Dictionary snapshot = saved(trainer);
  for (const auto& [epochs, iterations] : {std::pair{2, 6}, std::pair{3, 6}, std::pair{5, 10}}) {
    FakeUpdater later{10, 5};
    Trainer resumed{later, {static_cast<double>(epochs), "epoch"}, out.path()};
    resumed.resume("snapshot", snapshot);
    resumed.run();
    CHECK(later.iteration() == iterations);
  }
}

TEST_CASE("an every-three-epochs trigger resumed at epoch 5 fires next at epoch 6") {
  CHECK(fired_after_resume(3, "epoch", 10, 12) == Iterations{12});
  CHECK(fired_after_resume(3, "iteration", 5, 9) == Iterations{6, 9});
}

TEST_CASE("a trigger that the snapshot does not know takes what lies behind as over") {
  const Capture errors;
  CHECK(fired_after_resume(3, "epoch", 10, 12, false) == Iterations{12});
  CHECK(fired_after_resume(3, "iteration", 5, 9, false) == Iterations{6, 9});
}

TEST_CASE("a trainer without a stop trigger runs until it fails") {
  const Capture errors;
  const TemporaryFolder out;
  FakeUpdater updater;
  updater.step = [](std::int64_t i) {
    if (i == 50) throw StateError{"enough"};
  };
  Trainer trainer{updater, {}, out.path()};
  CHECK(trainer.stop_trigger() == nullptr);
  check_error<StateError>([&] { trainer.run(); }, {"enough"});
  CHECK(updater.iteration() == 49);
}
