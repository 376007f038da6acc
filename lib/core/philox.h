// Philox 4x32-10: a counter-based random generator (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). Four 32-bit words are a pure function of (key, counter): any element of any stream can be
// drawn on its own, in any order, on host and device alike.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace renkei {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// The block number `counter` of stream `stream` under `seed`.
inline PhiloxBlock philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  PhiloxBlock c{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// [0, 1), 24 random bits: every value is exact in float32.
inline float uniform_from(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

/// Two independent standard normal values (Box and Muller 1958) from two words.
inline std::array<double, 2> normal_from(std::uint32_t a, std::uint32_t b) {
  const double u = (static_cast<double>(a) + 1.0) * 0x1p-32;  // in (0, 1]: the logarithm stays finite
  const double angle = 2.0 * 3.14159265358979323846 * static_cast<double>(b) * 0x1p-32;
  const double radius = std::sqrt(-2.0 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// An integer in [0, bound) without bias beyond 2^-32, from 64 random bits.
inline std::uint64_t below(std::uint64_t bound, std::uint32_t low, std::uint32_t high) {
  const std::uint64_t word = (static_cast<std::uint64_t>(high) << 32) | low;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

}  // namespace renkei
