#include <catch2/catch.hpp>

#include <algorithm>

#include <renkei/lib/core/error.h>

#include "support/capture.h"
#include "support/small_training.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Catch::Matchers::Contains;
using extensions::snapshot;
using extensions::snapshot_object;
using extensions::SnapshotOptions;
using Names = std::vector<std::string>;

namespace {

/// Trains without a model for `iterations`, 5 an epoch, with a snapshot at each of them.
void run(const std::string& out, std::int64_t iterations, SnapshotOptions options, TriggerSpec trigger = {1, "iteration"},
         const std::function<void(Trainer&)>& prepare = {}) {
  FakeUpdater updater;
  Trainer trainer{updater, {static_cast<double>(iterations), "iteration"}, out};
  trainer.extend(snapshot(std::move(options)), {.trigger = std::move(trigger)});
  if (prepare) prepare(trainer);
  trainer.run();
}

/// The iteration at which training begins with autoload, and what is said then.
std::pair<std::int64_t, std::string> autoloaded(const std::string& out, SnapshotOptions options = {}) {
  options.autoload = true;
  const Capture errors;
  std::int64_t begin = -1;
  run(out, 1, std::move(options), [](const Trainer&) { return false; }, [&](Trainer& trainer) {
    FakeExtension watch = fake("watch");
    watch.on_initialize = [&](Trainer& t) { begin = t.updater().iteration(); };
    trainer.extend(std::move(watch));
  });
  return {begin, errors.text()};
}

std::int64_t iteration_in(const std::string& path) { return std::get<std::int64_t>(read_npz(path).at("updater/iteration")); }

}  // namespace

TEST_CASE("snapshots are called by iteration or epoch") {
  const TemporaryFolder out;
  run(out.path(), 10, {}, {1, "epoch"});
  CHECK(out.names() == Names{"snapshot_iter_10", "snapshot_iter_5"});
  CHECK(iteration_in(out / "snapshot_iter_5") == 5);
  const TemporaryFolder other;
  run(other.path(), 10, {.filename = "e{.updater.epoch}_i{.updater.iteration}.npz"}, {1, "epoch"});
  CHECK(other.names() == Names{"e1_i5.npz", "e2_i10.npz"});
}

TEST_CASE("a file name must be one, with marks that are known") {
  for (const std::string name : {"", "a/b", "{.updater.epochs}", "{", "x{}"}) {
    CAPTURE(name);
    check_error<ValueError>([&] { snapshot({.filename = name}); }, {"filename", name});
  }
  for (const std::string name : {"{.updater.epoch}{.updater.iteration}", "{.updater.epoch}0"}) {
    CAPTURE(name);
    check_error<ValueError>([&] { snapshot({.filename = name}); }, {name, "where a count ends"});
  }
  check_error<ValueError>([] { snapshot({.n_retains = 0}); }, {"n_retains", "0"});
  check_error<ValueError>([] { snapshot({.n_retains = -2}); }, {"n_retains", "-2"});
}

TEST_CASE("the newest files by the count in their name are kept, and other series are left alone") {
  const TemporaryFolder out;
  const Names others{"snapshot_iter_1.bak", "snapshot_iter_10_of_b", "snapshot_iter_x", "snapshot_iter_", "snapshot_iter_-3", "log"};
  for (const std::string& name : others) write_bytes(out / name, "other");
  run(out.path(), 12, {.n_retains = 2});
  Names expected = others;
  expected.insert(expected.end(), {"snapshot_iter_11", "snapshot_iter_12"});
  std::sort(expected.begin(), expected.end());
  CHECK(out.names() == expected);
}

TEST_CASE("files with two counts in their name are recognised too") {
  const TemporaryFolder out;
  const SnapshotOptions options{.filename = "e{.updater.epoch}_i{.updater.iteration}", .n_retains = 2};
  run(out.path(), 12, options);
  CHECK(out.names() == Names{"e2_i11", "e2_i12"});
  CHECK(autoloaded(out.path(), options).first == 12);
}

TEST_CASE("snapshots ahead of the one just saved are of another training: they stay and do not count") {
  const TemporaryFolder out;
  run(out.path(), 9, {.n_retains = 2});
  run(out.path(), 3, {.n_retains = 2});
  CHECK(out.names() == Names{"snapshot_iter_2", "snapshot_iter_3", "snapshot_iter_8", "snapshot_iter_9"});
}

TEST_CASE("a folder with the name of a snapshot is no snapshot") {
  const TemporaryFolder out;
  std::filesystem::create_directory(out / "snapshot_iter_1");
  run(out.path(), 4, {.n_retains = 1}, {2, "iteration"});
  CHECK(out.names() == Names{"snapshot_iter_1", "snapshot_iter_4"});
}

TEST_CASE("autoload goes on from the newest file, compared as numbers, before anything is initialized") {
  const TemporaryFolder out;
  run(out.path(), 11, {});
  const auto [begin, said] = autoloaded(out.path());
  CHECK(begin == 11);
  CHECK_THAT(said, Contains("Loaded " + out / "snapshot_iter_11"));
}

TEST_CASE("autoload without files begins a new training") {
  const TemporaryFolder out;
  CHECK(autoloaded(out.path()) == std::pair<std::int64_t, std::string>{0, ""});
}

TEST_CASE("autoload passes over broken files and says which and why") {
  const TemporaryFolder out;
  run(out.path(), 5, {});
  const std::string cut = read_bytes(out / "snapshot_iter_5");
  write_bytes(out / "snapshot_iter_5", cut.substr(0, cut.size() - 100));
  std::string flipped = read_bytes(out / "snapshot_iter_4");
  const std::size_t content = flipped.find("NUMPY");
  REQUIRE(content != std::string::npos);
  flipped[content + 125] ^= 1;  // in the elements of the first member
  write_bytes(out / "snapshot_iter_4", flipped);
  write_bytes(out / "snapshot_iter_3", "");
  const auto [begin, said] = autoloaded(out.path());
  CHECK(begin == 2);
  for (const char* name : {"snapshot_iter_5", "snapshot_iter_4", "snapshot_iter_3"}) CHECK_THAT(said, Contains("Not loaded: " + out / name));
  CHECK_THAT(said, Contains("Loaded " + out / "snapshot_iter_2"));
}

TEST_CASE("autoload of a snapshot of another model is an error, not a new training") {
  const TemporaryFolder out;
  const Capture errors;
  {
    SmallTraining training{out.path(), {1, "epoch"}};
    training.trainer->extend(snapshot());
    training.trainer->run();
  }
  SmallTraining::Options wider;
  wider.units = 8;
  SmallTraining training{out.path(), {2, "epoch"}, wider};
  training.trainer->extend(snapshot({.autoload = true}));
  check_error<MismatchError>([&] { training.trainer->run(); }, {out / "snapshot_iter_3", "predictor/l1/", "(5", "(8"});
}

TEST_CASE("an autoloaded training equals one that was not interrupted, bit for bit") {
  const TemporaryFolder straight_out, out;
  const auto train = [](const std::string& folder, double epochs) {
    SmallTraining training{folder, {epochs, "epoch"}};
    training.trainer->extend(snapshot({.n_retains = 1, .autoload = true}));
    training.trainer->run();
    return state_of(*training.trainer);
  };
  const Capture notices;
  default_generator().reset(5);
  const Dictionary want = train(straight_out.path(), 4);
  default_generator().reset(5);
  train(out.path(), 2);
  default_generator().reset(6);
  CHECK(differences(want, train(out.path(), 4)) == Names{});
}

TEST_CASE("what a killed run left half written is removed and named") {
  const TemporaryFolder out;
  run(out.path(), 2, {});
  write_bytes(out / ".snapshot_iter_3.abc123.renkei-tmp", "half");
  const auto [begin, said] = autoloaded(out.path());
  CHECK(begin == 2);
  CHECK_THAT(said, Contains("removed .snapshot_iter_3.abc123.renkei-tmp"));
  CHECK(out.names() == Names{"snapshot_iter_1", "snapshot_iter_2"});
}

TEST_CASE("a failure is saved at the last whole iteration if that is wanted") {
  const TemporaryFolder out;
  const Capture errors;
  const auto fail = [](Trainer& trainer) {
    trainer.extend([](Trainer& t) {
      if (t.updater().iteration() == 7) throw StateError{"broke"};
    });
  };
  CHECK_THROWS_AS(run(out.path(), 9, {}, {1, "epoch"}, fail), StateError);
  CHECK(out.names() == Names{"snapshot_iter_5"});
  CHECK_THROWS_AS(run(out.path(), 9, {.snapshot_on_error = true}, {1, "epoch"}, fail), StateError);
  CHECK(out.names() == Names{"snapshot_iter_5", "snapshot_iter_7"});
  CHECK(iteration_in(out / "snapshot_iter_7") == 7);
}

TEST_CASE("a condition decides whether a snapshot is saved") {
  const TemporaryFolder out;
  int asked = 0;
  run(out.path(), 4, {.condition = [&] { return ++asked % 2 == 0; }});
  CHECK(out.names() == Names{"snapshot_iter_2", "snapshot_iter_4"});
}

TEST_CASE("a snapshot holds the state at the end of its iteration, so that later extensions do not run again") {
  const TemporaryFolder out;
  std::vector<std::int64_t> calls;
  const auto prepare = [&](Trainer& trainer) {
    trainer.extend([&](Trainer& t) { calls.push_back(t.updater().iteration()); }, {.trigger = {1, "epoch"}, .priority = -500});
  };
  run(out.path(), 5, {}, {1, "epoch"}, prepare);
  CHECK(calls == std::vector<std::int64_t>{5});
  const Capture notices;
  calls.clear();
  run(out.path(), 9, {.autoload = true}, {1, "epoch"}, prepare);
  CHECK(calls.empty());
}

TEST_CASE("a compressed snapshot is smaller and loads as well") {
  const TemporaryFolder plain, small;
  run(plain.path(), 1, {});
  run(small.path(), 1, {.compress = true});
  CHECK(std::filesystem::file_size(small / "snapshot_iter_1") < std::filesystem::file_size(plain / "snapshot_iter_1"));
  CHECK(autoloaded(small.path()).first == 1);
}

TEST_CASE("an object can be saved alone and is loaded back before training") {
  const TemporaryFolder out;
  const auto train = [&](double epochs, bool autoload) {
    SmallTraining training{out.path(), {epochs, "epoch"}};
    training.trainer->extend(snapshot_object(training.model, "model_epoch_{.updater.epoch}.npz", {.autoload = autoload}));
    std::vector<float> at_start;
    FakeExtension watch = fake("watch");
    watch.on_initialize = [&](Trainer&) { at_start = to_vector<float>(training.model.predictor.l2.W.data()); };
    training.trainer->extend(std::move(watch));
    training.trainer->run();
    return std::pair{at_start, to_vector<float>(training.model.predictor.l2.W.data())};
  };
  const auto [first, trained] = train(1, false);
  CHECK(first != trained);
  links::Classifier model{SmallNet{5}};
  load_npz(out / "model_epoch_1.npz", model);
  CHECK(to_vector<float>(model.predictor.l2.W.data()) == trained);
  const Capture notices;
  CHECK(train(1, true).first == trained);
}

TEST_CASE("a snapshot that cannot be written is an error naming the file, and the earlier one stays") {
  const TemporaryFolder out;
  const Capture errors;
  run(out.path(), 1, {});
  std::filesystem::create_directory(out / "snapshot_iter_2");  // in the way
  check_error<FileError>([&] { run(out.path(), 2, {}, {2, "iteration"}); }, {out / "snapshot_iter_2"});
  CHECK(iteration_in(out / "snapshot_iter_1") == 1);
}

TEST_CASE("training that shall go on goes on when a snapshot cannot be written") {
  const TemporaryFolder out;
  const Capture errors;
  std::filesystem::create_directory(out / "snapshot_iter_2");  // in the way
  run(out.path(), 3, {.keep_training = true});
  CHECK(iteration_in(out / "snapshot_iter_3") == 3);
  CHECK_THAT(errors.text(), Contains("Not saved: " + out / "snapshot_iter_2"));
}
