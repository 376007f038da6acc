#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

#include <renkei/extensions/progress_bar.h>
#include <renkei/lib/core/error.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using Catch::Matchers::Contains;
using extensions::ProgressBar;
using extensions::ProgressBarOptions;

namespace {

/// The lines after `iterations` of 4 an epoch.
std::string lines_at(std::int64_t iterations, TriggerSpec stop, ProgressBarOptions options) {
  FakeUpdater updater{8, 2};
  Trainer trainer{updater, std::move(stop)};
  ProgressBar bar{options};
  for (std::int64_t i = 0; i < iterations; ++i) updater.update();
  return bar.lines(trainer);
}

}  // namespace

TEST_CASE("the progress bar shows the whole, the epoch, the counts and the speed") {
  CHECK(lines_at(6, {3, "epoch"}, {.bar_length = 10}) ==
        "     total [#####.....] 50.00%\n"
        "this epoch [#####.....] 50.00%\n"
        "         6 iter, 1 epoch / 3 epochs\n"
        "         0 iters/sec.\n");
  CHECK_THAT(lines_at(5, {20, "iteration"}, {.bar_length = 4}),
             Contains("     total [#...] 25.00%\n") && Contains("         5 iter, 1 epoch / 20 iterations\n"));
}

TEST_CASE("the bar is full at the end and beyond it") {
  CHECK_THAT(lines_at(8, {1, "epoch"}, {.bar_length = 4}), Contains("     total [####] 100.00%\n"));
  CHECK_THAT(lines_at(0, {1, "epoch"}, {.bar_length = 4}), Contains("     total [....]  0.00%\n"));
}

TEST_CASE("a training without known length has no total and no estimate") {
  const std::string text = lines_at(6, {}, {.bar_length = 10});
  CHECK(text ==
        "this epoch [#####.....] 50.00%\n"
        "         6 iter, 1 epoch\n"
        "         0 iters/sec.\n");
  CHECK(lines_at(6, [](const Trainer&) { return false; }, {.bar_length = 10}) == text);
}

TEST_CASE("a length that is given counts, not that of the stop trigger") {
  CHECK_THAT(lines_at(4, {1, "epoch"}, {.training_length = TrainingLength{4, Unit::epoch}, .bar_length = 4}),
             Contains("     total [#...] 25.00%\n") && Contains("/ 4 epochs"));
}

TEST_CASE("speed and time to go follow from the last paintings") {
  FakeUpdater updater{8, 2};
  Trainer trainer{updater, {1000000000, "epoch"}};
  ProgressBar bar;
  updater.update();
  CHECK_THAT(bar.lines(trainer), !Contains("Estimated"));
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  updater.update();
  const std::string text = bar.lines(trainer);
  CHECK_THAT(text, Contains(" iters/sec. Estimated time to finish: "));
  CHECK_THAT(text, Contains(" day"));
}

TEST_CASE("nothing is painted where there is no terminal") {
  const TemporaryFolder out;
  const TextStream stream;
  FakeUpdater updater;
  Trainer trainer{updater, {2, "epoch"}, out.path()};
  trainer.extend(ProgressBar{{.update_interval = 1, .out = stream}});
  trainer.run();
  CHECK(stream.text().empty());
}

TEST_CASE("an interval or length below 1 is refused") {
  check_error<ValueError>([] { ProgressBar({.update_interval = 0}); }, {"update_interval", "0"});
  check_error<ValueError>([] { ProgressBar({.bar_length = 0}); }, {"bar_length", "0"});
}
