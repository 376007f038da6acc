// Iterator: walks over a data set in batches, epoch after epoch. Belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <renkei/lib/core/array.h>
#include <renkei/lib/datasets/dataset.h>
#include <renkei/lib/datasets/order.h>

namespace renkei {

class Serializer;

struct Batch {
  std::vector<std::int64_t> indices;  ///< numbers of the examples in the data set
  Arrays arrays;                      ///< what the converter made of them, in host memory
};

/// Makes a batch of examples. The default is dataset.gather(indices). Runs in the iterator: with prefetching, in its
/// threads, several at once.
using Converter = std::function<Arrays(const Dataset& dataset, std::span<const std::int64_t> indices)>;

/// Gives the order of the next epoch from the present one (0, 1, ... before the first) and the position in it where the
/// last batch that fitted ended. May leave examples out or repeat them, but the length must stay the same. Prefetching
/// iterators call it ahead of time, in the thread that calls next().
using OrderSampler = std::function<Order(const Order& current, std::int64_t position)>;

/// Progress is that of the batch returned last: with n examples an epoch, `epoch` whole epochs and `current_position`
/// examples of the next. Counts are integers; epoch_detail is for display.
class Iterator {
 public:
  virtual ~Iterator() = default;
  Iterator() = default;
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  /// The next batch; nothing at the end of an iterator that does not repeat. Errors of the data set and the converter
  /// come out as they are thrown, and the iterator stays where it was.
  virtual std::optional<Batch> next() = 0;

  /// Takes the last next() back: its batch was not used and comes again. Once per next(); else nothing happens. An
  /// iterator without it leaves that batch out when training goes on from a snapshot taken after an error.
  virtual void step_back() {}
  /// Goes back to the state before the first batch.
  virtual void reset() = 0;
  /// Ends threads. The iterator can still be asked for its progress and be saved; next() starts them again.
  virtual void finalize() {}

  virtual std::int64_t batch_size() const = 0;
  virtual std::int64_t dataset_size() const = 0;
  virtual std::int64_t epoch_size() const = 0;  ///< examples in an epoch: dataset_size, or the length of a custom order
  virtual bool repeats() const = 0;

  virtual std::int64_t epoch() const = 0;             ///< whole epochs done
  virtual std::int64_t current_position() const = 0;  ///< examples of the present epoch done
  virtual bool is_new_epoch() const = 0;              ///< whether the last batch finished an epoch
  virtual std::int64_t samples_seen() const = 0;      ///< epoch * epoch_size + current_position
  virtual std::optional<std::int64_t> previous_samples_seen() const = 0;  ///< before the last next(); none at first

  virtual double epoch_detail() const = 0;                          ///< epoch + current_position / epoch_size
  virtual std::optional<double> previous_epoch_detail() const = 0;  ///< before the last next(); none at first

  /// Chainer's keys: current_position, epoch, is_new_epoch, previous_epoch_detail, order (only if there is one).
  virtual void serialize(Serializer& serializer) = 0;
};

}  // namespace renkei
