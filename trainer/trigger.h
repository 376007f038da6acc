// Trigger: decides after each iteration whether something happens. An extension has one, and so has the end of training.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace renkei {

class Serializer;
class Trainer;

enum class Unit { epoch, iteration };
Unit unit_named(std::string_view name);  ///< "epoch" or "iteration"; throws ValueError
std::string_view name_of(Unit unit);

/// How long a training takes in all, for the progress bar.
struct TrainingLength {
  double length;
  Unit unit;
};

class Trigger {
 public:
  virtual ~Trigger() = default;

  /// Asked once after each iteration, in the order of the extensions.
  virtual bool operator()(const Trainer& trainer) = 0;

  virtual void serialize(Serializer&) {}
  /// Training goes on from a snapshot that does not know this trigger: what lies behind is over.
  virtual void resume_without_state() {}
  virtual std::optional<TrainingLength> training_length() const { return std::nullopt; }
  /// Whether it will never fire again; the extension is then not initialised on resume.
  virtual bool finished() const { return false; }
};

/// What a user writes where a trigger is wanted: {1, "epoch"}, a Trigger, or a lambda bool(const Trainer&).
class TriggerSpec {
 public:
  struct Interval {
    double period;
    Unit unit;
  };

  TriggerSpec() = default;  ///< not given
  TriggerSpec(double period, std::string_view unit);  ///< throws ValueError for a period that is not positive
  template <class Count>
    requires std::is_integral_v<Count>
  TriggerSpec(Count period, std::string_view unit) : TriggerSpec{static_cast<double>(period), unit} {}
  template <class T>
    requires(std::is_base_of_v<Trigger, std::remove_cvref_t<T>> || std::is_invocable_r_v<bool, T&, const Trainer&>)
  TriggerSpec(T&& trigger) {
    using Kind = std::remove_cvref_t<T>;
    if constexpr (std::is_base_of_v<Trigger, Kind>) {
      trigger_ = std::make_unique<Kind>(std::forward<T>(trigger));
    } else {
      trigger_ = from_function(std::forward<T>(trigger));
    }
  }

  bool is_given() const { return interval_.has_value() || trigger_; }
  /// Fires once each period.
  std::unique_ptr<Trigger> as_interval() &&;
  /// Fires from the first time the period is reached: the end of training.
  std::unique_ptr<Trigger> as_limit() &&;

 private:
  static std::unique_ptr<Trigger> from_function(std::function<bool(const Trainer&)> function);

  std::optional<Interval> interval_;
  std::unique_ptr<Trigger> trigger_;
};

namespace triggers {

/// Fires at the first iteration at or after each multiple of the period: with 10 samples, batch 4 and {1, "epoch"} at
/// iterations 3, 5, 8, 10. Counts samples in integers, so that fractions of an epoch neither skip nor double.
class IntervalTrigger final : public Trigger {
 public:
  IntervalTrigger(double period, Unit unit);

  bool operator()(const Trainer& trainer) override;
  /// Chainer's keys: previous_iteration, previous_epoch_detail.
  void serialize(Serializer& s) override;
  void resume_without_state() override { previous_known_ = false; }
  std::optional<TrainingLength> training_length() const override { return TrainingLength{period_, unit_}; }

 private:
  double period_;
  Unit unit_;
  std::int64_t previous_iteration_ = 0;
  double previous_epoch_detail_ = 0.0;
  bool previous_known_ = true;
};

/// Fires whenever the length is reached or passed. Longer than a run that is resumed: it goes on; shorter: it stops.
class LimitTrigger final : public Trigger {
 public:
  LimitTrigger(double length, Unit unit) : length_{length}, unit_{unit} {}

  bool operator()(const Trainer& trainer) override;
  /// Has no state; writes Chainer's keys so that Chainer can read the file.
  void serialize(Serializer& s) override;
  std::optional<TrainingLength> training_length() const override { return TrainingLength{length_, unit_}; }

 private:
  double length_;
  Unit unit_;
  std::int64_t iteration_ = 0;
  double epoch_detail_ = 0.0;
};

}  // namespace triggers
}  // namespace renkei
