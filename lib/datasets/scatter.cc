#include <renkei/lib/datasets/scatter.h>

#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

void check_rank(std::int64_t n, std::int64_t rank, std::int64_t world) {
  if (n < 0) throw ValueError{"scatter: number of examples", n, "at least 0"};
  if (world < 1) throw ValueError{"scatter: world", world, "at least 1"};
  if (rank < 0 || rank >= world) throw ValueError{"scatter: rank", rank, fmt::format("0 to {}", world - 1)};
}

}  // namespace

Window scatter_index(std::int64_t n, std::int64_t rank, std::int64_t world, bool force_equal_length) {
  check_rank(n, rank, world);
  const std::int64_t share = n / world, rest = n % world;
  if (!force_equal_length) {
    const std::int64_t begin = rank * share + std::min(rank, rest);
    return {begin, begin + share + (rank < rest ? 1 : 0)};
  }
  const std::int64_t begin = share * rank + rest * rank / world;  // n * rank / world without overflow
  return {begin, begin + share + (rest > 0 ? 1 : 0)};
}

SubDataset scatter_dataset(const Dataset& dataset, std::int64_t rank, std::int64_t world, ScatterOptions options) {
  const Window window = scatter_index(dataset.size(), rank, world, options.force_equal_length);
  return SubDataset{dataset, window.begin, window.end, std::move(options.order)};
}

Order distributed_order(std::int64_t n, std::int64_t rank, std::int64_t world, bool drop_last) {
  check_rank(n, rank, world);
  const std::int64_t share = n / world + (!drop_last && n % world > 0 ? 1 : 0);
  Order order;
  order.reserve(static_cast<std::size_t>(share));
  for (std::int64_t k = 0; k < share; ++k) order.push_back((rank + k * world) % n);
  return order;
}

}  // namespace renkei
