#include <catch2/catch.hpp>

#include <cmath>

#include <renkei/extensions/log_report.h>
#include <renkei/extensions/print_report.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/reporter/reporter.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using extensions::LogReport;
using extensions::PrintReport;

namespace {

/// What is printed of a training whose epochs report `losses`.
std::string printed(const std::vector<double>& losses, const std::vector<std::string>& columns) {
  const TemporaryFolder out;
  const TextStream stream;
  FakeUpdater updater{2, 2};
  updater.step = [&](std::int64_t i) { report("main/loss", losses[static_cast<std::size_t>(i - 1)]); };
  Trainer trainer{updater, {static_cast<double>(losses.size()), "epoch"}, out.path()};
  trainer.extend(LogReport{{.postprocess = [](extensions::LogEntry& e) { e.set("elapsed_time", 0.0405233); }}});
  trainer.extend(PrintReport{columns, "LogReport", stream});
  trainer.run();
  return stream.text();
}

}  // namespace

TEST_CASE("the table has Chainer's columns, and a file gets no escape codes") {
  CHECK(printed({1.739013, 1e-7}, {"epoch", "main/loss", "validation/main/accuracy", "elapsed_time"}) ==
        "epoch       main/loss   validation/main/accuracy  elapsed_time\n"
        "1           1.73901                               0.0405233     \n"
        "2           1e-07                                 0.0405233     \n");
}

TEST_CASE("numbers that are none are printed as words, a computed NaN without sign") {
  CHECK(printed({NAN, -NAN, INFINITY, -INFINITY}, {"main/loss"}) ==
        "main/loss \n"
        "nan         \n"
        "nan         \n"
        "inf         \n"
        "-inf        \n");
}

TEST_CASE("after a resume the whole history is printed") {
  const TemporaryFolder out;
  FakeUpdater first{2, 2};
  Trainer trainer{first, {2, "epoch"}, out.path()};
  trainer.extend(LogReport{});
  trainer.run();
  const TextStream stream;
  FakeUpdater second{2, 2};
  Trainer resumed{second, {3, "epoch"}, out.path()};
  resumed.extend(LogReport{});
  resumed.extend(PrintReport{{"epoch"}, "LogReport", stream});
  resumed.resume("snapshot", saved(trainer));
  resumed.run();
  CHECK(stream.text() == "epoch     \n1           \n2           \n3           \n");
}

TEST_CASE("a report prints the log of the name it is given") {
  const TemporaryFolder out;
  const TextStream stream;
  FakeUpdater updater{2, 2};
  Trainer trainer{updater, {4, "epoch"}, out.path()};
  trainer.extend(LogReport{});
  trainer.extend(LogReport{{.trigger = {2, "epoch"}, .filename = "rare"}}, {.name = "rare"});
  trainer.extend(PrintReport{{"epoch"}, "rare", stream});
  trainer.run();
  CHECK(stream.text() == "epoch     \n2           \n4           \n");
}

TEST_CASE("a report without its log, or with another extension in its place, is refused before training") {
  const TemporaryFolder out;
  const Capture errors;
  FakeUpdater updater;
  Trainer trainer{updater, {1, "epoch"}, out.path()};
  trainer.extend(PrintReport{{"epoch"}});
  check_error<ValueError>([&] { trainer.run(); }, {"LogReport", "PrintReport"});
  Trainer other{updater, {1, "epoch"}, out.path()};
  other.extend(fake("LogReport"));
  other.extend(PrintReport{{"epoch"}});
  check_error<StateError>([&] { other.run(); }, {"LogReport", "is no LogReport"});
  CHECK(updater.iteration() == 0);
}
