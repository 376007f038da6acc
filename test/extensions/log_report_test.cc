#include <catch2/catch.hpp>

#include <atomic>
#include <cmath>
#include <thread>

#include <nlohmann/json.hpp>

#include <renkei/extensions/log_report.h>
#include <renkei/extensions/snapshot.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/reporter/reporter.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using extensions::LogEntry;
using extensions::LogReport;
using extensions::LogReportOptions;
using Json = nlohmann::ordered_json;

namespace {

void without_time(LogEntry& entry) { entry.set("elapsed_time", 0.5); }

/// A training of one report per iteration.
struct Reporting {
  Reporting(const std::string& out, TriggerSpec stop, LogReportOptions options, std::function<double(std::int64_t)> value,
            std::int64_t size = 10)
      : updater{size, 1}, trainer{updater, std::move(stop), out} {
    updater.step = [value](std::int64_t i) { report("main/loss", value(i)); };
    log = &trainer.extend(LogReport{std::move(options)});
  }
  std::vector<double> values(const std::string& key) const {
    std::vector<double> result;
    for (const LogEntry& entry : log->log()) result.push_back(entry.find(key).value_or(-1));
    return result;
  }
  FakeUpdater updater;
  Trainer trainer;
  LogReport* log;
};

double count_from_zero(std::int64_t i) { return static_cast<double>(i - 1); }

}  // namespace

TEST_CASE("the log is written as Chainer writes it") {
  const TemporaryFolder out;
  FakeUpdater updater{4, 2};
  updater.step = [](std::int64_t i) {
    report("main/loss", i == 1 ? 1.0 : 2.0);
    report("main/accuracy", 1.0 / 3, 2.0);
  };
  Trainer trainer{updater, {2, "epoch"}, out.path()};
  trainer.extend([](Trainer&) { report("validation/main/loss", 1e-5); }, {.trigger = {1, "epoch"}, .priority = priority::kWriter});
  trainer.extend(LogReport{{.postprocess = without_time}});
  trainer.run();
  CHECK(read_bytes(out / "log") == R"([
    {
        "main/loss": 1.5,
        "main/accuracy": 0.3333333333333333,
        "validation/main/loss": 1e-05,
        "epoch": 1,
        "iteration": 2,
        "elapsed_time": 0.5
    },
    {
        "main/loss": 2.0,
        "main/accuracy": 0.3333333333333333,
        "validation/main/loss": 1e-05,
        "epoch": 2,
        "iteration": 4,
        "elapsed_time": 0.5
    }
])");
}

TEST_CASE("means are weighted by the samples of each report") {
  const TemporaryFolder out;
  FakeUpdater updater{4, 2};
  updater.step = [](std::int64_t i) { report("loss", i == 1 ? 1.0 : 4.0, i == 1 ? 2.0 : 1.0); };
  Trainer trainer{updater, {1, "epoch"}, out.path()};
  const LogReport& log = trainer.extend(LogReport{});
  trainer.run();
  CHECK(log.log().at(0).find("loss") == 2.0);
}

TEST_CASE("numbers that JSON does not have become null, and come back as NaN") {
  const TemporaryFolder out;
  const std::vector<double> losses{NAN, INFINITY, -INFINITY};
  const auto loss = [&](std::int64_t i) { return losses.at(static_cast<std::size_t>(i - 1)); };
  Reporting training{out.path(), {3, "iteration"}, {.trigger = {1, "iteration"}}, loss};
  training.trainer.run();
  const Json log = Json::parse(read_bytes(out / "log"));
  REQUIRE(log.size() == 3);
  for (const Json& entry : log) CHECK(entry.at("main/loss").is_null());
  Reporting later{out.path(), {3, "iteration"}, {}, loss};
  later.trainer.resume("snapshot", saved(training.trainer));
  for (const double value : later.values("main/loss")) CHECK(std::isnan(value));
  CHECK(later.values("iteration") == std::vector<double>{1, 2, 3});
}

TEST_CASE("a log with Chainer's NaN is read, and keys that hold such words stay as they are") {
  const auto load = [](const std::string& text) {
    FakeUpdater updater;
    Trainer trainer{updater};
    const LogReport& log = trainer.extend(LogReport{});
    Dictionary snapshot = saved(trainer);
    snapshot["extensions/LogReport/_log"] = text;
    trainer.resume("snapshot", snapshot);
    return log.log();
  };
  const auto log = load(R"([{"NaN count": NaN, "a \" NaN": -Infinity, "b": Infinity, "c": 1}])");
  REQUIRE(log.size() == 1);
  CHECK(std::isnan(log[0].find("NaN count").value()));
  CHECK(std::isnan(log[0].find("a \" NaN").value()));
  CHECK(std::isnan(log[0].find("b").value()));
  CHECK(log[0].find("c") == 1.0);
  check_error<MismatchError>([&] { load("[{"); }, {"snapshot", "_log", "JSON list"});
  check_error<MismatchError>([&] { load("{}"); }, {"_log", "JSON list"});
  check_error<MismatchError>([&] { load("[3]"); }, {"_log", "objects of numbers"});
  check_error<MismatchError>([&] { load(R"([{"a": "text"}])"); }, {"_log", "objects of numbers"});
}

TEST_CASE("only the keys that were asked for are kept, and one that is not reported is left out") {
  const TemporaryFolder out;
  FakeUpdater updater{2, 2};
  updater.step = [](std::int64_t) {
    report("a", 1.0);
    report("b", 2.0);
  };
  Trainer trainer{updater, {1, "epoch"}, out.path()};
  const LogReport& log = trainer.extend(LogReport{{.keys = {"b", "missing"}}});
  trainer.run();
  const LogEntry& entry = log.log().at(0);
  CHECK_FALSE(entry.find("a"));
  CHECK(entry.find("b") == 2.0);
  CHECK_FALSE(entry.find("missing"));
  CHECK(entry.find("epoch") == 1.0);
}

TEST_CASE("postprocess may add to an entry before it is kept and written") {
  const TemporaryFolder out;
  Reporting training{out.path(), {1, "epoch"}, {.postprocess = [](LogEntry& e) { e.set("double", *e.find("main/loss") * 2); }},
                     count_from_zero};
  training.trainer.run();
  CHECK(training.values("double") == std::vector<double>{9});
  CHECK(Json::parse(read_bytes(out / "log"))[0].at("double") == 9.0);
}

TEST_CASE("the file has the name it is given, or there is none") {
  const TemporaryFolder out;
  Reporting named{out.path(), {1, "epoch"}, {.filename = "history.json"}, count_from_zero};
  named.trainer.run();
  Reporting silent{out.path(), {1, "epoch"}, {.filename = ""}, count_from_zero};
  silent.trainer.run();
  CHECK(silent.log->log().size() == 1);
  CHECK(out.names() == std::vector<std::string>{"history.json"});
}

TEST_CASE("the mean of an interval with a snapshot inside counts every report once") {
  const TemporaryFolder out;
  Reporting first{out.path(), {5, "iteration"}, {}, count_from_zero};
  first.trainer.run();
  Reporting second{out.path(), {10, "iteration"}, {}, count_from_zero};
  second.trainer.resume("snapshot", saved(first.trainer));
  second.trainer.run();
  CHECK(second.values("main/loss") == std::vector<double>{4.5});
}

TEST_CASE("a snapshot from before the first entry loads, and so does one with an empty text") {
  const TemporaryFolder out;
  Reporting first{out.path(), {2, "iteration"}, {}, count_from_zero};
  first.trainer.run();
  Dictionary snapshot = saved(first.trainer);
  for (const std::string& text : {std::get<std::string>(snapshot.at("extensions/LogReport/_log")), std::string{}}) {
    snapshot["extensions/LogReport/_log"] = text;
    Reporting second{out.path(), {2, "iteration"}, {}, count_from_zero};
    second.trainer.resume("snapshot", snapshot);
    CHECK(second.log->log().empty());
  }
}

TEST_CASE("a log that is not called at every iteration is refused") {
  const TemporaryFolder out;
  const Capture errors;
  FakeUpdater updater{10, 2};
  Trainer trainer{updater, {2, "epoch"}, out.path()};
  trainer.extend(LogReport{}, {.trigger = {1, "epoch"}});
  check_error<StateError>([&] { trainer.run(); }, {"iteration 5", "LogReportOptions"});
}

TEST_CASE("a log called before training has an entry of iteration 0") {
  const TemporaryFolder out;
  FakeUpdater updater{2, 2};
  Trainer trainer{updater, {1, "epoch"}, out.path()};
  trainer.extend([](Trainer&) { report("value", 3.0); }, {.priority = priority::kWriter, .call_before_training = true});
  const LogReport& log = trainer.extend(LogReport{}, {.call_before_training = true});
  trainer.run();
  REQUIRE(log.log().size() == 2);
  CHECK(log.log()[0].find("iteration") == 0.0);
  CHECK(log.log()[0].find("value") == 3.0);
  CHECK(log.log()[1].find("iteration") == 1.0);
}

TEST_CASE("a reader that polls the log never sees an unfinished one") {
  const TemporaryFolder out;
  std::atomic<bool> done = false;
  std::atomic<int> bad = 0, read = 0;
  std::thread reader{[&] {
    while (!done) {
      const std::string text = read_bytes(out / "log");
      std::this_thread::sleep_for(std::chrono::microseconds{100});
      if (read == 0 && text.empty()) continue;  // not there yet
      ++read;
      if (!Json::accept(text)) ++bad;
    }
  }};
  Reporting training{out.path(), {200, "iteration"}, {.trigger = {1, "iteration"}}, count_from_zero};
  training.trainer.run();
  done = true;
  reader.join();
  CHECK(training.log->log().size() == 200);
  CHECK(bad == 0);
  CHECK(read > 0);
}

TEST_CASE("the log of a training in two parts is the file of one in one part") {
  const TemporaryFolder straight_out, out;
  const auto make = [](const std::string& folder, int iterations) {
    LogReportOptions options{.trigger = {2, "iteration"}, .postprocess = without_time};
    return std::make_unique<Reporting>(folder, TriggerSpec{iterations, "iteration"}, std::move(options), count_from_zero);
  };
  const auto straight = make(straight_out.path(), 8), first = make(out.path(), 4), second = make(out.path(), 8);
  straight->trainer.run();
  first->trainer.run();
  second->trainer.resume("snapshot", saved(first->trainer));
  second->trainer.run();
  CHECK(read_bytes(out / "log") == read_bytes(straight_out / "log"));
}
