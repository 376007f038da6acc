// MultithreadIterator: makes batches ahead in threads; otherwise like SerialIterator, and with the same seed the same
// batches in the same order.
#pragma once

#include <deque>
#include <memory>

#include <renkei/lib/iterators/walking_iterator.h>

namespace renkei::iterators {

class BatchLoader;
struct LoadJob;

struct MultithreadOptions {
  bool repeat = true;  ///< these five as in SerialOptions
  std::optional<bool> shuffle = {};
  std::optional<std::uint64_t> seed = {};
  OrderSampler order_sampler = {};
  Converter converter = {};
  int n_threads = 1;
  std::optional<int> n_prefetch = {};  ///< batches made ahead; n_threads + 1 if not said
  double timeout_seconds = 60.0;       ///< longest time the read of one example may take
};

/// State and progress are those of the batch returned last; saving does not touch what is made ahead. Threads start
/// with the first next() and end with finalize(), or when the iterator is destroyed. `get` or `gather` of the data set
/// and the converter run in the threads, several at once.
///
/// A read that takes longer than the limit is an error naming the example, and its thread is left behind (see
/// BatchLoader): the data set must then live until the process ends. After an error next() tries the same batch again.
class MultithreadIterator final : public WalkingIterator {
 public:
  /// `dataset` must outlive the iterator. Throws as SerialIterator does, and ValueError for n_threads or n_prefetch
  /// below 1 and a timeout not above 0. Warns once if several threads would share the one processor that the process is
  /// bound to.
  MultithreadIterator(const Dataset& dataset, std::int64_t batch_size, MultithreadOptions options = {});
  MultithreadIterator(const Dataset&&, std::int64_t, MultithreadOptions = {}) = delete;
  ~MultithreadIterator() override;

  std::optional<Batch> next() override;
  void finalize() override;

 private:
  void forget_batches() override;
  bool plan();        ///< hands one more batch to the loader; false at the end
  void plan_ahead();  ///< up to n_prefetch of them

  const Dataset& dataset_;
  Converter converter_;
  int n_threads_;
  std::size_t n_prefetch_;
  double timeout_seconds_;

  std::optional<Progress> planned_;  // after the last job; none: progress()
  std::deque<std::shared_ptr<LoadJob>> jobs_;
  std::unique_ptr<BatchLoader> loader_;
};

}  // namespace renkei::iterators
