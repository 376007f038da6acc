// SerialIterator: makes each batch when it is asked for, in the calling thread.
#pragma once

#include <renkei/lib/iterators/walking_iterator.h>

namespace renkei::iterators {

struct SerialOptions {
  bool repeat = true;                ///< start again at the end; else the last batch is short and then there is none
  std::optional<bool> shuffle = {};  ///< true unless there is an order_sampler, which excludes it
  /// The order of an epoch is a function of this and the epoch's number alone. None: taken from default_generator().
  std::optional<std::uint64_t> seed = {};
  OrderSampler order_sampler = {};
  Converter converter = {};
};

class SerialIterator final : public WalkingIterator {
 public:
  /// `dataset` must outlive the iterator. Throws ValueError for a batch size below 1, and for an empty data set that is
  /// to repeat.
  SerialIterator(const Dataset& dataset, std::int64_t batch_size, SerialOptions options = {});
  SerialIterator(const Dataset&&, std::int64_t, SerialOptions = {}) = delete;

  std::optional<Batch> next() override;

 private:
  const Dataset& dataset_;
  Converter converter_;
};

}  // namespace renkei::iterators
