// EpochWalk: the state machine behind every iterator. It says which examples come next and knows no arrays.
#pragma once

#include <memory>
#include <optional>

#include <renkei/lib/iterators/iterator.h>

namespace renkei::iterators {

/// A point of the walk; a value, cheap to copy.
struct Progress {
  std::int64_t current_position = 0;
  std::int64_t epoch = 0;
  bool is_new_epoch = false;
  std::shared_ptr<const Order> order = nullptr;      ///< of the present epoch; none: examples as they come
  std::optional<std::int64_t> previous_samples = {}; ///< examples seen before the last step
};

struct WalkOptions {
  bool repeat = true;
  std::optional<bool> shuffle = {};  ///< true unless there is an order_sampler, which excludes it
  std::optional<std::uint64_t> seed = {};
  OrderSampler order_sampler = {};
};

/// What one step gives: the examples of a batch and the progress after it.
struct Step {
  std::vector<std::int64_t> indices;
  Progress after;
};

class EpochWalk {
 public:
  /// Throws ValueError for a batch size below 1, an epoch without examples that is to repeat, or both shuffle and
  /// order_sampler. Every order drawn is checked: a number outside the data set or another length is a ValueError.
  EpochWalk(std::int64_t dataset_size, std::int64_t batch_size, WalkOptions options);

  /// Before the first batch; draws the first order.
  Progress start();

  /// The step from `at`; nothing at the end. While the batch reaches the end of the epoch, it takes the rest, the next
  /// order is drawn, and (when repeating) it goes on at the beginning: batches of a repeating walk are always full.
  std::optional<Step> step(const Progress& at);

  std::int64_t batch_size() const { return batch_size_; }
  std::int64_t dataset_size() const { return dataset_size_; }
  std::int64_t epoch_size() const { return epoch_size_; }
  bool repeats() const { return options_.repeat; }

  std::int64_t samples_seen(const Progress& at) const { return at.epoch * epoch_size_ + at.current_position; }
  /// epoch + position / n, rounded as Chainer rounds it.
  double epoch_detail(std::int64_t samples) const;

  void save(Serializer& serializer, const Progress& progress) const;
  /// What the file says, starting from `current`. Throws MismatchError naming both sizes if the saved order or position
  /// does not belong to this data set. Reads Chainer's files: `_order`, no seed, no previous_epoch_detail.
  Progress load(Serializer& serializer, Progress current);

 private:
  bool shuffles() const { return !options_.order_sampler && options_.shuffle.value_or(true); }
  bool ordered() const { return options_.order_sampler || shuffles(); }
  std::shared_ptr<const Order> draw(const Order& current, std::int64_t position, std::int64_t epoch);
  std::shared_ptr<const Order> shuffle(std::int64_t epoch);
  std::shared_ptr<const Order> load_order(Serializer& serializer, const Progress& progress);

  std::int64_t dataset_size_, batch_size_;
  WalkOptions options_;
  std::uint64_t seed_ = 0;
  std::int64_t epoch_size_;
  std::vector<std::shared_ptr<Order>> drawn_;  // kept: fresh memory for each epoch would cost its page faults
};

}  // namespace renkei::iterators
