// Philox blocks made several at once, so that their rounds become vector code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace renkei::cpu {

inline constexpr std::size_t kPhiloxLanes = 16;
using PhiloxWords = std::array<std::uint32_t, kPhiloxLanes>;

/// The blocks `counter` to `counter + kPhiloxLanes - 1` as renkei::philox makes them, word by word: words[w][lane].
inline void philox_blocks(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                          std::array<PhiloxWords, 4>& words) {
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  auto& [c0, c1, c2, c3] = words;
  for (std::size_t lane = 0; lane < kPhiloxLanes; ++lane) {
    c0[lane] = static_cast<std::uint32_t>(counter + lane);
    c1[lane] = static_cast<std::uint32_t>((counter + lane) >> 32);
    c2[lane] = static_cast<std::uint32_t>(stream);
    c3[lane] = static_cast<std::uint32_t>(stream >> 32);
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < kPhiloxLanes; ++lane) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0[lane], p1 = std::uint64_t{0xCD9E8D57u} * c2[lane];
      c0[lane] = static_cast<std::uint32_t>(p1 >> 32) ^ c1[lane] ^ k0;
      c1[lane] = static_cast<std::uint32_t>(p1);
      c2[lane] = static_cast<std::uint32_t>(p0 >> 32) ^ c3[lane] ^ k1;
      c3[lane] = static_cast<std::uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

}  // namespace renkei::cpu
