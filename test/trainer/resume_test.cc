#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include <renkei/lib/core/error.h>
#include <renkei/lib/iterators/multithread_iterator.h>

#include "support/capture.h"
#include "support/small_training.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t kSeed = 11;

SmallTraining::Options options_with(std::int64_t batch = 4) {
  SmallTraining::Options options;
  options.batch = batch;
  return options;
}

/// The state after `until`, in one run.
Dictionary straight(TriggerSpec until, const SmallTraining::Options& options) {
  const TemporaryFolder out;
  default_generator().reset(kSeed);
  SmallTraining training{out.path(), std::move(until), options};
  training.trainer->run();
  return state_of(*training.trainer);
}

/// The same in two runs with a snapshot file between; the second begins with other values and random numbers.
Dictionary in_two_runs(TriggerSpec middle, TriggerSpec until, const SmallTraining::Options& options) {
  const TemporaryFolder out;
  {
    default_generator().reset(kSeed);
    SmallTraining training{out.path(), std::move(middle), options};
    training.trainer->run();
    save_npz(out / "snapshot", *training.trainer);
  }
  default_generator().reset(kSeed + 1);
  SmallTraining training{out.path(), std::move(until), options};
  training.trainer->resume(out / "snapshot");
  training.trainer->run();
  return state_of(*training.trainer);
}

/// The examples of each batch that an iterator gives from now on.
std::vector<std::int64_t> indices(Iterator& iterator, int batches) {
  std::vector<std::int64_t> result;
  for (int k = 0; k < batches; ++k) {
    const std::optional<Batch> batch = iterator.next();
    result.insert(result.end(), batch->indices.begin(), batch->indices.end());
  }
  return result;
}

}  // namespace

TEST_CASE("ten epochs in one run equal five and five after a resume, bit for bit") {
  const Dictionary want = straight({10, "epoch"}, options_with());
  CHECK(want.contains("updater/optimizer:main/predictor/l1/W/m"));
  CHECK(differences(want, in_two_runs({5, "epoch"}, {10, "epoch"}, options_with())) == std::vector<std::string>{});
}

TEST_CASE("so do runs with a snapshot in the middle of an epoch") {
  const Dictionary want = straight({20, "iteration"}, options_with());
  for (const double middle : {1.0, 4.0, 13.0})
    CHECK(differences(want, in_two_runs({middle, "iteration"}, {20, "iteration"}, options_with())) == std::vector<std::string>{});
}

TEST_CASE("batches made ahead in threads change nothing: not training, not its snapshots, not going on from them") {
  SmallTraining::Options ahead = options_with();
  ahead.make_iterator = [](const Dataset& data, std::int64_t batch) {
    return std::make_unique<iterators::MultithreadIterator>(data, batch, iterators::MultithreadOptions{.n_threads = 2, .n_prefetch = 3});
  };
  const Dictionary want = straight({8, "epoch"}, options_with());
  CHECK(differences(want, straight({8, "epoch"}, ahead)) == std::vector<std::string>{});
  CHECK(differences(want, in_two_runs({4, "epoch"}, {8, "epoch"}, ahead)) == std::vector<std::string>{});
  CHECK(differences(want, in_two_runs({4, "iteration"}, {8, "epoch"}, ahead)) == std::vector<std::string>{});
}

TEST_CASE("the comparison of two runs notices a different seed") {
  const TemporaryFolder out;
  default_generator().reset(kSeed + 1);
  SmallTraining training{out.path(), {10, "epoch"}};
  training.trainer->run();
  CHECK(differences(straight({10, "epoch"}, options_with()), state_of(*training.trainer)).size() > 5);
}

TEST_CASE("saving a snapshot changes nothing") {
  const TemporaryFolder out;
  default_generator().reset(kSeed);
  SmallTraining training{out.path(), {20, "iteration"}};
  training.trainer->extend([](Trainer& t) { saved(t); }, {.name = "saver"});
  training.trainer->run();
  Dictionary state = state_of(*training.trainer);
  std::erase_if(state, [](const auto& entry) { return entry.first.starts_with("extension_triggers/saver"); });
  CHECK(differences(straight({20, "iteration"}, options_with()), state) == std::vector<std::string>{});
}

TEST_CASE("after a resume epochs, iterations and the log go on where they were") {
  const TemporaryFolder out;
  {
    SmallTraining training{out.path(), {5, "epoch"}, options_with(2)};
    training.trainer->run();
    save_npz(out / "snapshot", *training.trainer);
  }
  SmallTraining training{out.path(), {10, "epoch"}, options_with(2)};
  training.trainer->resume(out / "snapshot");
  CHECK(training.updater->iteration() == 25);
  CHECK(training.updater->epoch() == 5);
  training.trainer->run();
  std::vector<double> epochs, iterations;
  for (const auto& entry : training.log->log()) {
    epochs.push_back(*entry.find("epoch"));
    iterations.push_back(*entry.find("iteration"));
  }
  CHECK(epochs == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(iterations == std::vector<double>{5, 10, 15, 20, 25, 30, 35, 40, 45, 50});
}

TEST_CASE("every example is read as often after a resume at the end of an epoch as without") {
  const TemporaryFolder out;
  std::vector<int> reads(10);
  SmallTraining::Options options = options_with(2);
  options.make_iterator = [&](const Dataset& data, std::int64_t batch) {
    return std::make_unique<iterators::SerialIterator>(data, batch,
        iterators::SerialOptions{.converter = [&](const Dataset& d, std::span<const std::int64_t> indices) {
          for (const std::int64_t i : indices) ++reads.at(static_cast<std::size_t>(i));
          return d.gather(indices);
        }});
  };
  {
    SmallTraining training{out.path(), {2, "epoch"}, options};
    training.trainer->run();
    save_npz(out / "snapshot", *training.trainer);
  }
  SmallTraining training{out.path(), {4, "epoch"}, options};
  training.trainer->resume(out / "snapshot");
  training.trainer->run();
  CHECK(reads == std::vector<int>(10, 4));
}

TEST_CASE("a resume in the middle of an epoch goes on with the unseen examples in the same order") {
  const TemporaryFolder out;
  default_generator().reset(kSeed);
  SmallTraining whole{out.path(), {2, "iteration"}, options_with(2)};
  const std::vector<std::int64_t> order = indices(*whole.iterator, 5);
  default_generator().reset(kSeed);
  SmallTraining training{out.path(), {2, "iteration"}, options_with(2)};
  training.trainer->run();
  save_npz(out / "snapshot", *training.trainer);

  default_generator().reset(kSeed + 1);
  SmallTraining resumed{out.path(), {3, "iteration"}, options_with(2)};
  resumed.trainer->resume(out / "snapshot");
  const std::vector<std::int64_t> rest = indices(*resumed.iterator, 3);
  CHECK(rest == std::vector<std::int64_t>(order.begin() + 4, order.end()));
  CHECK(std::accumulate(order.begin(), order.end(), std::int64_t{0}) == 45);
}

TEST_CASE("the step after a resume has the next number, and the epoch changes only at its end") {
  const TemporaryFolder out;
  SmallTraining::Options options;
  options.size = 24;
  options.batch = 1;
  {
    SmallTraining training{out.path(), {12, "iteration"}, options};
    training.trainer->run();
    save_npz(out / "snapshot", *training.trainer);
  }
  SmallTraining training{out.path(), {24, "iteration"}, options};
  training.trainer->resume(out / "snapshot");
  CHECK(training.updater->iteration() == 12);
  CHECK(training.optimizer.t() == 12);
  std::vector<std::int64_t> iterations, epochs;
  training.trainer->extend(
      [&](Trainer& t) {
        iterations.push_back(t.updater().iteration());
        epochs.push_back(t.updater().epoch());
      },
      {.trigger = {1, "iteration"}});
  training.trainer->run();
  CHECK(iterations.front() == 13);
  CHECK(iterations.back() == 24);
  CHECK(std::count(epochs.begin(), epochs.end(), 0) == 11);
  CHECK(epochs.back() == 1);
}

TEST_CASE("the first loss after a resume is the next loss of the uninterrupted run") {
  const TemporaryFolder out;
  const auto record = [](SmallTraining& training, std::vector<double>& losses) {
    training.trainer->extend([&](Trainer& t) { losses.push_back(t.observation().find("main/loss")->value()); });
  };
  std::vector<double> all, rest;
  default_generator().reset(kSeed);
  SmallTraining whole{out.path(), {9, "iteration"}};
  whole.trainer->extend([&](Trainer& t) { t.after_iteration([&] { if (t.updater().iteration() == 6) save_npz(out / "six", t); }); });
  record(whole, all);
  whole.trainer->run();
  default_generator().reset(kSeed + 1);
  SmallTraining resumed{out.path(), {9, "iteration"}};
  resumed.trainer->extend([](Trainer&) {});
  record(resumed, rest);
  resumed.trainer->resume(out / "six");
  resumed.trainer->run();
  CHECK(rest == std::vector<double>(all.begin() + 6, all.end()));
}

TEST_CASE("a learning rate that was changed is saved, and used and shown after a resume") {
  const TemporaryFolder out;
  {
    SmallTraining training{out.path(), {1, "epoch"}};
    training.optimizer.alpha = 0.005;
    training.trainer->run();
    save_npz(out / "snapshot", *training.trainer);
  }
  SmallTraining training{out.path(), {2, "epoch"}};
  training.trainer->resume(out / "snapshot");
  CHECK(training.optimizer.alpha == 0.005);
  training.trainer->run();
  CHECK(training.log->log().back().find("lr") == 0.005);
}

TEST_CASE("a snapshot of another model is refused, naming file, parameter and both shapes") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  save_npz(out / "snapshot", *training.trainer);
  SmallTraining::Options wider;
  wider.units = 8;
  SmallTraining other{out.path(), {1, "epoch"}, wider};
  check_error<MismatchError>([&] { other.trainer->resume(out / "snapshot"); }, {out / "snapshot", "predictor/l1/", "(5", "(8"});
}

TEST_CASE("a model file given as a snapshot is called one") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  save_npz(out / "model.npz", training.model);
  check_error<MismatchError>([&] { training.trainer->resume(out / "model.npz"); }, {out / "model.npz", "model file", "trainer snapshot"});
  check_error<FileError>([&] { training.trainer->resume(out / "none"); }, {out / "none"});
}

TEST_CASE("entries of the updater that nothing asks for are refused, those of extensions that are gone are not") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  training.trainer->extend([](Trainer&) {}, {.name = "gone"});
  Dictionary snapshot = saved(*training.trainer);
  SmallTraining later{out.path(), {1, "epoch"}};
  CHECK_NOTHROW(later.trainer->resume("snapshot", snapshot));
  snapshot["updater/model:main/predictor/l9/W"] = 1.0;
  check_error<MismatchError>([&] { later.trainer->resume("snapshot", snapshot); }, {"predictor/l9/W"});
}

TEST_CASE("an extension added since the snapshot starts fresh with a notice, one without state in silence") {
  const TemporaryFolder out;
  FakeUpdater first;
  Trainer trainer{first, {1, "iteration"}, out.path()};
  trainer.run();
  FakeUpdater second;
  Trainer resumed{second, {2, "iteration"}, out.path()};
  std::int64_t state = 5;
  FakeExtension added = fake("counter");
  added.on_serialize = [&](Serializer& s) { s("count", state); };
  resumed.extend(std::move(added));
  resumed.extend(fake("stateless"));
  const Capture errors;
  resumed.resume("old_snapshot", saved(trainer));
  CHECK(state == 5);
  CHECK_THAT(errors.text(), Contains("old_snapshot") && Contains("counter") && Contains("starts fresh"));
  CHECK_THAT(errors.text(), !Contains("stateless"));
}

TEST_CASE("extensions find their state by name, whatever their order") {
  std::int64_t a = 1, b = 2;
  const auto stateful = [](const std::string& name, std::int64_t& value) {
    FakeExtension extension = fake(name);
    extension.on_serialize = [&value](Serializer& s) { s("value", value); };
    return extension;
  };
  FakeUpdater updater;
  Trainer trainer{updater};
  trainer.extend(stateful("a", a));
  trainer.extend(stateful("b", b));
  const Dictionary snapshot = saved(trainer);
  std::int64_t later_a = 0, later_b = 0;
  Trainer reordered{updater};
  reordered.extend(stateful("b", later_b));
  reordered.extend(stateful("a", later_a));
  reordered.resume("snapshot", snapshot);
  CHECK(later_a == 1);
  CHECK(later_b == 2);
}

TEST_CASE("a snapshot written when the loss fails holds the last whole iteration, and training goes on as if it had not") {
  const TemporaryFolder out;
  const bool in_threads = GENERATE(false, true);
  CAPTURE(in_threads);
  const Dictionary want = straight({10, "iteration"}, options_with());
  {
    const Capture errors;
    default_generator().reset(kSeed);
    SmallTraining::Options options;
    if (in_threads)
      options.make_iterator = [](const Dataset& data, std::int64_t batch) {
        return std::make_unique<iterators::MultithreadIterator>(data, batch);
      };
    int calls = 0;
    options.loss_func = [&](Link& model, const Variables& batch) {
      const Variable loss = dynamic_cast<LossLink&>(model).loss(batch);
      if (++calls == 7) throw StateError{"the loss failed"};
      return loss;
    };
    SmallTraining training{out.path(), {10, "iteration"}, options};
    training.trainer->extend(extensions::snapshot({.snapshot_on_error = true}));
    check_error<StateError>([&] { training.trainer->run(); }, {"the loss failed"});
  }
  CHECK(std::get<std::int64_t>(read_npz(out / "snapshot_iter_6").at("updater/iteration")) == 6);
  default_generator().reset(kSeed + 1);
  SmallTraining training{out.path(), {10, "iteration"}};
  training.trainer->resume(out / "snapshot_iter_6");
  training.trainer->run();
  CHECK(differences(want, state_of(*training.trainer)) == std::vector<std::string>{});
}
