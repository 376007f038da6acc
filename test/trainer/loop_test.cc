#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

#include <renkei/lib/core/error.h>
#include <renkei/lib/reporter/reporter.h>
#include <renkei/trainer/trainer.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Catch::Matchers::Contains;
using Events = std::vector<std::string>;

namespace {

FakeExtension recorder(Events& events, const std::string& name, int order = priority::kReader) {
  FakeExtension extension = fake(name);
  extension.order = order;
  extension.on_restore = [&events, name](Trainer&) { events.push_back("restore " + name); };
  extension.on_initialize = [&events, name](Trainer&) { events.push_back("initialize " + name); };
  extension.on_call = [&events, name](Trainer&) { events.push_back(name); };
  extension.on_finalize = [&events, name] { events.push_back("finalize " + name); };
  return extension;
}

}  // namespace

TEST_CASE("the loop restores, initializes, updates, calls by priority and finalizes") {
  const TemporaryFolder out;
  Events events;
  FakeUpdater updater;
  updater.step = [&](std::int64_t i) { events.push_back("update " + std::to_string(i)); };
  Trainer trainer{updater, {2, "iteration"}, out.path()};
  trainer.extend(recorder(events, "reader"));
  trainer.extend(recorder(events, "second reader"));
  trainer.extend(recorder(events, "writer", priority::kWriter));
  trainer.extend([&](Trainer&) { events.push_back("function"); }, {.priority = priority::kEditor});
  trainer.run();
  CHECK(events == Events{"restore writer", "restore reader", "restore second reader",
                         "initialize writer", "initialize reader", "initialize second reader",
                         "update 1", "writer", "function", "reader", "second reader",
                         "update 2", "writer", "function", "reader", "second reader",
                         "finalize writer", "finalize reader", "finalize second reader"});
  CHECK(updater.finalized == 1);
}

TEST_CASE("an option of extend replaces the priority of the extension") {
  const TemporaryFolder out;
  Events events;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  trainer.extend([&](Trainer&) { events.push_back("a"); });
  trainer.extend([&](Trainer&) { events.push_back("b"); }, {.priority = priority::kWriter + 1});
  trainer.run();
  CHECK(events == Events{"b", "a"});
}

TEST_CASE("names come from the option or the extension, and a taken one gets a number") {
  const TemporaryFolder out;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  const auto& first = trainer.extend(fake("log"));
  const auto& second = trainer.extend(fake("log"));
  const auto& third = trainer.extend(fake("log"));
  const auto& named = trainer.extend(fake("log"), {.name = "mine"});
  CHECK(trainer.name_of(first) == "log");
  CHECK(trainer.name_of(second) == "log_1");
  CHECK(trainer.name_of(third) == "log_2");
  CHECK(trainer.name_of(named) == "mine");
  CHECK(&trainer.get_extension("log_1") == &second);
  check_error<ValueError>([&] { trainer.get_extension("lag"); }, {"lag", "log, log_1, log_2, mine"});
}

TEST_CASE("the name training is refused") {
  FakeUpdater updater;
  Trainer trainer{updater};
  check_error<ValueError>([&] { trainer.extend([](Trainer&) {}, {.name = "training"}); }, {"training", "reserved"});
  check_error<ValueError>([&] { trainer.extend(fake("training")); }, {"training", "reserved"});
}

TEST_CASE("call_before_training calls once ahead of the first iteration, unless training goes on from a snapshot") {
  const TemporaryFolder out;
  std::vector<std::int64_t> calls;
  FakeUpdater updater;
  Trainer trainer{updater, {2, "iteration"}, out.path()};
  trainer.extend([&](Trainer& t) { calls.push_back(t.updater().iteration()); }, {.call_before_training = true});
  trainer.run();
  CHECK(calls == std::vector<std::int64_t>{0, 1, 2});

  calls.clear();
  FakeUpdater later;
  Trainer resumed{later, {3, "iteration"}, out.path()};
  resumed.extend([&](Trainer& t) { calls.push_back(t.updater().iteration()); }, {.call_before_training = true});
  resumed.resume("snapshot", saved(trainer));
  resumed.run();
  CHECK(calls == std::vector<std::int64_t>{3});
}

TEST_CASE("what an iteration reports is seen by its extensions and gone in the next") {
  const TemporaryFolder out;
  FakeUpdater updater;
  updater.step = [](std::int64_t i) { report(i == 1 ? "first" : "second", static_cast<double>(i)); };
  Trainer trainer{updater, {2, "iteration"}, out.path()};
  Events seen;
  trainer.extend([](Trainer&) { report("written", 1.0); }, {.priority = priority::kWriter});
  trainer.extend([&](Trainer& t) {
    for (const auto& [key, reported] : t.observation()) seen.push_back(key);
  });
  trainer.run();
  CHECK(seen == Events{"first", "written", "second", "written"});
}

TEST_CASE("work put off until after the iteration runs after the last extension, and at once outside of one") {
  const TemporaryFolder out;
  Events events;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  trainer.extend([&](Trainer& t) { t.after_iteration([&] { events.push_back("put off"); }); }, {.priority = 500});
  trainer.extend([&](Trainer&) { events.push_back("last"); }, {.priority = -500});
  trainer.after_iteration([&] { events.push_back("outside"); });
  trainer.run();
  CHECK(events == Events{"outside", "last", "put off"});
}

TEST_CASE("a trainer runs once") {
  const TemporaryFolder out;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  trainer.run();
  check_error<StateError>([&] { trainer.run(); }, {"runs once"});
  CHECK(updater.finalized == 1);
}

TEST_CASE("the output folder is made with its parents, and one that cannot be made is named before training") {
  const TemporaryFolder folder;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "iteration"}, folder / "a/b"};
  trainer.run();
  CHECK(std::filesystem::is_directory(folder / "a/b"));
  CHECK(std::filesystem::is_empty(folder / "a/b"));

  write_bytes(folder / "file", "");
  FakeUpdater other;
  Trainer blocked{other, {1, "iteration"}, folder / "file"};
  check_error<FileError>([&] { blocked.run(); }, {folder / "file"});
  CHECK(other.iteration() == 0);
}

TEST_CASE("the cause of a failure is printed before anything is cleaned up") {
  const TemporaryFolder out;
  const Capture errors;
  std::string at_finalize;
  FakeUpdater updater;
  Trainer trainer{updater, {9, "iteration"}, out.path()};
  FakeExtension slow = fake("slow");
  slow.on_finalize = [&] { at_finalize = errors.text(); };
  trainer.extend(std::move(slow));
  trainer.extend([](Trainer& t) {
    if (t.updater().iteration() == 3) throw ValueError{"the real cause"};
  });
  check_error<ValueError>([&] { trainer.run(); }, {"the real cause"});
  CHECK_THAT(at_finalize, Contains("Exception in main training loop: the real cause"));
}

TEST_CASE("every extension hears of a failure, and one that throws then stops no other and hides nothing") {
  const TemporaryFolder out;
  const Capture errors;
  Events heard;
  FakeUpdater updater;
  updater.step = [](std::int64_t i) {
    if (i == 7) throw StateError{"broke at 7"};
  };
  Trainer trainer{updater, {9, "iteration"}, out.path()};
  for (const std::string name : {"a", "b", "c"}) {
    FakeExtension extension = fake(name);
    extension.on_failure = [&heard, name](const std::exception& error) {
      heard.push_back(name + ": " + error.what());
      if (name == "b") throw StateError{"the hook of b fails too"};
    };
    trainer.extend(std::move(extension));
  }
  check_error<StateError>([&] { trainer.run(); }, {"broke at 7"});
  CHECK(heard == Events{"a: broke at 7", "b: broke at 7", "c: broke at 7"});
  CHECK(updater.iteration() == 6);
  CHECK_THAT(errors.text(), Contains("the hook of b fails too") && Contains("error handler of b"));
}

TEST_CASE("everything is finalized exactly once, wherever it fails") {
  const std::string where = GENERATE("nowhere", "updater", "extension", "finalize", "restore", "initialize", "error hook");
  CAPTURE(where);
  const TemporaryFolder out;
  const Capture errors;
  const auto fail_at = [&](const std::string& place) {
    if (where == place) throw StateError{"broke in " + place};
  };
  FakeUpdater updater;
  updater.step = [&](std::int64_t i) {
    if (i == 2) fail_at("updater");
    if (i == 2 && where == "error hook") throw StateError{"broke in updater"};
  };
  Trainer trainer{updater, {3, "iteration"}, out.path()};
  int finalized[3] = {};
  for (int k = 0; k < 3; ++k) {
    FakeExtension extension = fake("e");
    extension.on_finalize = [&, k] {
      ++finalized[k];
      if (k == 1) fail_at("finalize");
    };
    if (k == 1) {
      extension.on_restore = [&](Trainer&) { fail_at("restore"); };
      extension.on_initialize = [&](Trainer&) { fail_at("initialize"); };
      extension.on_call = [&](Trainer&) { fail_at("extension"); };
      extension.on_failure = [&](const std::exception&) { fail_at("error hook"); };
    }
    trainer.extend(std::move(extension));
  }
  if (where == "nowhere" || where == "finalize") {
    CHECK_NOTHROW(trainer.run());
  } else {
    check_error<StateError>([&] { trainer.run(); }, {where == "error hook" ? "broke in updater" : "broke in " + where});
  }
  CHECK(finalized[0] == 1);
  CHECK(finalized[1] == 1);
  CHECK(finalized[2] == 1);
  CHECK(updater.finalized == 1);
  if (where == "finalize") CHECK_THAT(errors.text(), Contains("finalize of e_1: broke in finalize"));
}

TEST_CASE("elapsed time is 0 before training, grows in it, stands still after it and goes on in the next run") {
  const TemporaryFolder out;
  FakeUpdater updater;
  updater.step = [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds{10}); };
  Trainer trainer{updater, {1, "iteration"}, out.path()};
  CHECK(trainer.elapsed_time() == 0.0);
  CHECK_NOTHROW(saved(trainer));
  trainer.run();
  const double first = trainer.elapsed_time();
  CHECK(first >= 0.01);
  CHECK(trainer.elapsed_time() == first);

  FakeUpdater later;
  later.step = updater.step;
  Trainer resumed{later, {2, "iteration"}, out.path()};
  resumed.resume("snapshot", saved(trainer));
  CHECK(resumed.elapsed_time() == first);
  resumed.run();
  CHECK(resumed.elapsed_time() >= first + 0.01);
}
