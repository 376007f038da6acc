#include <renkei/lib/datasets/sub_dataset.h>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

std::shared_ptr<const Order> checked(Order order, std::int64_t size) {
  if (order.empty()) return nullptr;
  if (static_cast<std::int64_t>(order.size()) != size)
    throw ValueError{"SubDataset: length of the order", order.size(),
                     fmt::format("{}, the size of the data set", size)};
  check_order("SubDataset: order", order, size);
  return std::make_shared<const Order>(std::move(order));
}

}  // namespace

SubDataset::SubDataset(const Dataset& dataset, std::int64_t begin, std::int64_t end, Order order)
    : SubDataset{checked(std::move(order), dataset.size()), dataset, begin, end} {
  if (begin < 0 || begin > end || end > dataset.size())
    throw ValueError{"SubDataset: window", fmt::format("[{}, {})", begin, end),
                     fmt::format("a part of [0, {})", dataset.size())};
}

std::int64_t SubDataset::original_index(std::int64_t i) const {
  check_index("SubDataset", i, size());
  return order_ ? (*order_)[static_cast<std::size_t>(begin_ + i)] : begin_ + i;
}

Arrays SubDataset::gather(std::span<const std::int64_t> indices) const {
  std::vector<std::int64_t> original;
  original.reserve(indices.size());
  for (const std::int64_t i : indices) original.push_back(original_index(i));
  return dataset_->gather(original);
}

std::pair<SubDataset, SubDataset> split_dataset(const Dataset& dataset, std::int64_t split_at, Order order) {
  const std::int64_t size = dataset.size();
  if (split_at < 0 || split_at > size)
    throw ValueError{"split_dataset: split_at", split_at, fmt::format("0 to {}, the size of the data set", size)};
  const auto shared = checked(std::move(order), size);
  return {SubDataset{shared, dataset, 0, split_at}, SubDataset{shared, dataset, split_at, size}};
}

std::pair<SubDataset, SubDataset> split_dataset_random(const Dataset& dataset, std::int64_t first_size,
                                                       std::uint64_t seed) {
  return split_dataset(dataset, first_size, shuffled_order(dataset.size(), seed, kLastEpoch));
}

}  // namespace renkei
