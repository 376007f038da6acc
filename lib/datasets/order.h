// Order: the numbers of examples in the order of their use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace renkei {

using Order = std::vector<std::int64_t>;

/// The numbers 0 to n - 1 in an order that is a pure function of (n, seed, epoch); every order is equally likely.
Order shuffled_order(std::int64_t n, std::uint64_t seed, std::uint64_t epoch);
/// The same into a vector that is there already, whose memory is used again.
void shuffle_into(Order& order, std::int64_t n, std::uint64_t seed, std::uint64_t epoch);

/// An epoch that no training reaches: for orders that must differ from those of the epochs.
inline constexpr std::uint64_t kLastEpoch = (std::uint64_t{1} << 62) - 1;

/// Throws ValueError naming `where` and the first number outside [0, size).
void check_order(std::string_view where, const Order& order, std::int64_t size);

}  // namespace renkei
