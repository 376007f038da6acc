// WalkingIterator: what iterators that follow an EpochWalk have in common: everything but the making of batches.
#pragma once

#include <utility>

#include <renkei/lib/iterators/epoch_walk.h>

namespace renkei::iterators {

class WalkingIterator : public Iterator {
 public:
  void step_back() override {
    if (before_) jump(*before_);
  }
  void reset() override { jump(walk_.start()); }

  std::int64_t batch_size() const override { return walk_.batch_size(); }
  std::int64_t dataset_size() const override { return walk_.dataset_size(); }
  std::int64_t epoch_size() const override { return walk_.epoch_size(); }
  bool repeats() const override { return walk_.repeats(); }

  std::int64_t epoch() const override { return progress_.epoch; }
  std::int64_t current_position() const override { return progress_.current_position; }
  bool is_new_epoch() const override { return progress_.is_new_epoch; }
  std::int64_t samples_seen() const override { return walk_.samples_seen(progress_); }
  std::optional<std::int64_t> previous_samples_seen() const override { return progress_.previous_samples; }
  double epoch_detail() const override { return walk_.epoch_detail(samples_seen()); }
  std::optional<double> previous_epoch_detail() const override;

  void serialize(Serializer& serializer) override;

 protected:
  WalkingIterator(const Dataset& dataset, std::int64_t batch_size, WalkOptions options)
      : walk_{dataset.size(), batch_size, std::move(options)}, progress_{walk_.start()} {}

  EpochWalk& walk() { return walk_; }
  const Progress& progress() const { return progress_; }
  void advance(Progress after) { before_ = std::exchange(progress_, std::move(after)); }

  /// The end of a walk that does not repeat was asked for: like Chainer, only previous_epoch_detail moves on.
  void mark_end() {
    progress_.previous_samples = samples_seen();
    before_.reset();
  }

  /// Called when the walk goes on from somewhere else: batches made ahead are void.
  virtual void forget_batches() {}

 private:
  void jump(Progress progress) {
    forget_batches();
    progress_ = std::move(progress);
    before_.reset();
  }

  EpochWalk walk_;
  Progress progress_;
  std::optional<Progress> before_;  // the last next()
};

}  // namespace renkei::iterators
