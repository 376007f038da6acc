#include <renkei/extensions/progress_bar.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <renkei/extensions/terminal.h>
#include <renkei/lib/core/error.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {
namespace {

/// 1 day, 2:03:04
std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::max(seconds, 0.0));
  const std::int64_t days = whole / 86400;
  const std::string prefix = days == 0 ? "" : fmt::format("{} day{}, ", days, days == 1 ? "" : "s");
  return fmt::format("{}{}:{:02}:{:02}", prefix, whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(ProgressBarOptions options) : options_{std::move(options)} {
  if (options_.update_interval < 1) throw ValueError{"progress bar: update_interval", options_.update_interval, "at least 1"};
  if (options_.bar_length < 1) throw ValueError{"progress bar: bar_length", options_.bar_length, "at least 1"};
}

std::string ProgressBar::bar(std::string_view label, double rate) const {
  const int marks = static_cast<int>(rate * options_.bar_length);
  return fmt::format("{:>10} [{}{}] {:5.2f}%\n", label, std::string(static_cast<std::size_t>(marks), '#'),
                     std::string(static_cast<std::size_t>(options_.bar_length - marks), '.'), rate * 100);
}

std::string ProgressBar::lines(const Trainer& trainer) {
  const Updater& updater = trainer.updater();
  const auto iteration = static_cast<double>(updater.iteration());
  const double epoch = updater.epoch_detail();
  const double now = std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
  paintings_.emplace_back(iteration, now);
  if (paintings_.size() > 100) paintings_.pop_front();
  const double seconds = now - paintings_.front().second;
  const double speed = (iteration - paintings_.front().first) / seconds;  // NaN at the first painting

  auto length = options_.training_length;
  if (!length && trainer.stop_trigger()) length = trainer.stop_trigger()->training_length();

  std::string text;
  if (length) text += bar("total", std::min(1.0, (length->unit == Unit::epoch ? epoch : iteration) / length->length));
  text += bar("this epoch", epoch - std::floor(epoch));
  text += fmt::format("{:10} iter, {} epoch", updater.iteration(), updater.epoch());
  if (length) text += fmt::format(" / {:g} {}s", length->length, name_of(length->unit));
  text += fmt::format("\n{:10.5g} iters/sec.", std::isnan(speed) ? 0.0 : speed);
  if (length && speed > 0 && std::isfinite(speed) && epoch > 0) {
    const double iterations_left =
        length->unit == Unit::iteration ? length->length - iteration : (length->length - epoch) * iteration / epoch;
    text += fmt::format(" Estimated time to finish: {}.", duration(iterations_left / speed));
  }
  return text + "\n";
}

void ProgressBar::call(Trainer& trainer) {
  if (trainer.updater().iteration() % options_.update_interval != 0 || !is_terminal(options_.out)) return;
  const std::string text = lines(trainer);
  fmt::print(options_.out, "{}{}\033[{}A", kClearToEnd, text, std::count(text.begin(), text.end(), '\n'));
  std::fflush(options_.out);
  painted_ = true;
}

void ProgressBar::finalize() {
  if (!painted_) return;
  fmt::print(options_.out, "{}", kClearToEnd);
  std::fflush(options_.out);
}

}  // namespace renkei::extensions
