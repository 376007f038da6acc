// SubDataset: a window of another data set; and splitting a data set in two.
#pragma once

#include <memory>
#include <utility>

#include <renkei/lib/datasets/dataset.h>
#include <renkei/lib/datasets/order.h>

namespace renkei {

/// Example k is example order[begin + k] of `dataset` (without an order: example begin + k), for k < end - begin.
/// `dataset` must outlive it; copies share the order. Errors name examples by their number in `dataset`.
class SubDataset final : public Dataset {
 public:
  /// Throws ValueError unless 0 <= begin <= end <= n, or when the order is not n numbers, each in [0, n).
  SubDataset(const Dataset& dataset, std::int64_t begin, std::int64_t end, Order order = {});
  SubDataset(const Dataset&&, std::int64_t, std::int64_t, Order = {}) = delete;  // would not outlive the call
  SubDataset(const SubDataset&) = default;
  SubDataset& operator=(const SubDataset&) = default;

  std::int64_t size() const override { return end_ - begin_; }
  Arrays get(std::int64_t i) const override { return dataset_->get(original_index(i)); }
  Arrays gather(std::span<const std::int64_t> indices) const override;

  /// The number that example i has in the data set below. Throws ValueError outside [0, size).
  std::int64_t original_index(std::int64_t i) const;

 private:
  friend std::pair<SubDataset, SubDataset> split_dataset(const Dataset&, std::int64_t, Order);
  SubDataset(std::shared_ptr<const Order> order, const Dataset& dataset, std::int64_t begin, std::int64_t end)
      : dataset_{&dataset}, begin_{begin}, end_{end}, order_{std::move(order)} {}

  const Dataset* dataset_;
  std::int64_t begin_, end_;
  std::shared_ptr<const Order> order_;  // null: as they come
};

/// The first `split_at` examples (in `order` if given) and the rest. Throws ValueError unless 0 <= split_at <= n.
std::pair<SubDataset, SubDataset> split_dataset(const Dataset& dataset, std::int64_t split_at, Order order = {});
std::pair<SubDataset, SubDataset> split_dataset(const Dataset&&, std::int64_t, Order = {}) = delete;

/// `first_size` examples picked at random and the rest: equal seeds pick the same ones.
std::pair<SubDataset, SubDataset> split_dataset_random(const Dataset& dataset, std::int64_t first_size,
                                                       std::uint64_t seed);
std::pair<SubDataset, SubDataset> split_dataset_random(const Dataset&&, std::int64_t, std::uint64_t) = delete;

}  // namespace renkei
