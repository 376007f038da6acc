#include <renkei/lib/datasets/order.h>

#include <numeric>
#include <utility>

#include <renkei/lib/core/philox.h>
#include <renkei/lib/datasets/dataset.h>

namespace renkei {
namespace {

constexpr std::uint64_t kOrderStreams = std::uint64_t{1} << 62;  // apart from those that RandomGenerator hands out

}  // namespace

Order shuffled_order(std::int64_t n, std::uint64_t seed, std::uint64_t epoch) {
  Order order;
  shuffle_into(order, n, seed, epoch);
  return order;
}

void shuffle_into(Order& order, std::int64_t n, std::uint64_t seed, std::uint64_t epoch) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  PhiloxBlock block{};
  for (std::uint64_t i = order.size(); i > 1; --i) {  // Fisher and Yates: position i - 1 takes one of the first i
    const std::uint64_t draw = order.size() - i;
    if (draw % 2 == 0) block = philox(seed, kOrderStreams | epoch, draw / 2);
    const std::uint64_t j = draw % 2 == 0 ? below(i, block[0], block[1]) : below(i, block[2], block[3]);
    std::swap(order[i - 1], order[j]);
  }
}

void check_order(std::string_view where, const Order& order, std::int64_t size) {
  for (const std::int64_t i : order) check_index(where, i, size);
}

}  // namespace renkei
