#include <renkei/trainer/trigger.h>

#include <cmath>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/serializer.h>
#include <renkei/trainer/trainer.h>
#include <renkei/trainer/updater.h>

namespace renkei {
namespace {

class FunctionTrigger final : public Trigger {
 public:
  explicit FunctionTrigger(std::function<bool(const Trainer&)> function) : function_{std::move(function)} {}
  bool operator()(const Trainer& trainer) override { return function_(trainer); }

 private:
  std::function<bool(const Trainer&)> function_;
};

/// floor(samples / (period * epoch_size)) without rounding: a period of epochs has at most six decimals.
std::int64_t periods_done(std::int64_t samples, double period, std::int64_t epoch_size) {
  __extension__ using Wide = __int128;
  const Wide millionths = std::llround(period * 1e6);
  return static_cast<std::int64_t>(Wide{samples} * 1'000'000 / (millionths * epoch_size));
}

}  // namespace

Unit unit_named(std::string_view name) {
  if (name == "epoch") return Unit::epoch;
  if (name == "iteration") return Unit::iteration;
  throw ValueError{"unit of a trigger", name, "epoch or iteration"};
}

std::string_view name_of(Unit unit) { return unit == Unit::epoch ? "epoch" : "iteration"; }

TriggerSpec::TriggerSpec(double period, std::string_view unit) : interval_{Interval{period, unit_named(unit)}} {
  const bool whole = interval_->unit == Unit::epoch || period == std::floor(period);
  if (!(period > 0.0) || !whole) throw ValueError{"period of a trigger", period, "more than 0, and whole for iterations"};
  if (std::llround(period * 1e6) == 0) throw ValueError{"period of a trigger", period, "at least a millionth of an epoch"};
}

std::unique_ptr<Trigger> TriggerSpec::from_function(std::function<bool(const Trainer&)> function) {
  return std::make_unique<FunctionTrigger>(std::move(function));
}

std::unique_ptr<Trigger> TriggerSpec::as_interval() && {
  if (interval_) return std::make_unique<triggers::IntervalTrigger>(interval_->period, interval_->unit);
  return std::move(trigger_);
}

std::unique_ptr<Trigger> TriggerSpec::as_limit() && {
  if (interval_) return std::make_unique<triggers::LimitTrigger>(interval_->period, interval_->unit);
  return std::move(trigger_);
}

namespace triggers {

IntervalTrigger::IntervalTrigger(double period, Unit unit) : period_{period}, unit_{unit} {}

bool IntervalTrigger::operator()(const Trainer& trainer) {
  const Updater& updater = trainer.updater();
  const std::int64_t epoch_size = updater.epoch_size();
  if (!previous_known_) {  // resumed from a file without the state of this trigger
    previous_iteration_ = updater.iteration() - 1;
    previous_epoch_detail_ = updater.previous_epoch_detail().value_or(0.0);
    previous_known_ = true;
  }
  bool fires;
  if (unit_ == Unit::iteration) {
    const auto period = static_cast<std::int64_t>(period_);
    fires = previous_iteration_ / period != updater.iteration() / period;
  } else {
    const auto previous = std::llround(previous_epoch_detail_ * static_cast<double>(epoch_size));
    fires = periods_done(previous, period_, epoch_size) != periods_done(updater.samples_seen(), period_, epoch_size);
  }
  previous_iteration_ = updater.iteration();
  previous_epoch_detail_ = updater.epoch_detail();
  return fires;
}

void IntervalTrigger::serialize(Serializer& s) {
  s("previous_iteration", previous_iteration_);
  s("previous_epoch_detail", previous_epoch_detail_);
}

bool LimitTrigger::operator()(const Trainer& trainer) {
  const Updater& updater = trainer.updater();
  iteration_ = updater.iteration();
  epoch_detail_ = updater.epoch_detail();
  if (unit_ == Unit::iteration) return static_cast<double>(iteration_) >= length_;
  return periods_done(updater.samples_seen(), length_, updater.epoch_size()) >= 1;
}

void LimitTrigger::serialize(Serializer& s) {
  if (s.is_loading()) return;
  s("previous_iteration", iteration_);
  s("previous_epoch_detail", epoch_detail_);
}

}  // namespace triggers
}  // namespace renkei
