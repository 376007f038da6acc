// Sharing a data set out to ranks: which examples each of `world` processes or devices takes.
#pragma once

#include <renkei/lib/datasets/sub_dataset.h>

namespace renkei {

/// Examples [begin, end).
struct Window {
  std::int64_t begin = 0, end = 0;
  bool operator==(const Window&) const = default;
};

/// The window of `rank` over n examples.
///   equal lengths: begins at floor(n rank / world) and has ceil(n / world) examples; neighbours overlap where `world`
///     does not divide n, and every rank counts epochs alike (Chainer's force_equal_length)
///   otherwise: each example belongs to one rank; the first n mod world ranks have one more, the last may have none
/// Throws ValueError unless 0 <= rank < world and n >= 0.
Window scatter_index(std::int64_t n, std::int64_t rank, std::int64_t world, bool force_equal_length = true);

struct ScatterOptions {
  bool force_equal_length = true;
  Order order = {};  ///< of all examples, the same on every rank; empty: as they come
};

/// The part of `dataset` that `rank` takes. `dataset` must outlive it.
SubDataset scatter_dataset(const Dataset& dataset, std::int64_t rank, std::int64_t world, ScatterOptions options = {});
SubDataset scatter_dataset(const Dataset&&, std::int64_t, std::int64_t, ScatterOptions = {}) = delete;

/// The numbers of the examples of `rank` under the rule of PyTorch's DistributedSampler without shuffling: rank,
/// rank + world, ...; all ranks have as many, so the list is filled up from its front, or with `drop_last` cut.
Order distributed_order(std::int64_t n, std::int64_t rank, std::int64_t world, bool drop_last = false);

}  // namespace renkei
