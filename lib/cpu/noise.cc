#include <renkei/lib/kernels/noise.h>

#include <algorithm>
#include <array>

#include <renkei/lib/core/philox.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

constexpr std::size_t kLanes = 16;  // Philox blocks made at once: their rounds become vector code

using Words = std::array<std::uint32_t, kLanes>;

/// The blocks `counter` to `counter + kLanes - 1` as renkei::philox makes them, word by word: words[w][lane].
void philox_blocks(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter, std::array<Words, 4>& words) {
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  auto& [c0, c1, c2, c3] = words;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    c0[lane] = static_cast<std::uint32_t>(counter + lane);
    c1[lane] = static_cast<std::uint32_t>((counter + lane) >> 32);
    c2[lane] = static_cast<std::uint32_t>(stream);
    c3[lane] = static_cast<std::uint32_t>(stream >> 32);
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
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

void dropout(const kernels::RandomSource& source, double ratio, const Array& x, const Array& y, const Array& mask) {
  visit_float(kernels::Dropout::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* input = x.data<T>();
    T *output = y.data<T>(), *kept = mask.data<T>();
    const T scale = static_cast<T>(1.0 / (1.0 - ratio));
    const auto threshold = static_cast<float>(ratio);
    parallel_for(device_of(y), x.size(), kElementsPerThread / 4, [=](std::int64_t begin, std::int64_t end) {
      std::array<Words, 4> words;
      for (std::int64_t i = begin; i < end;) {
        const std::uint64_t number = source.first + static_cast<std::uint64_t>(i);
        philox_blocks(source.seed, source.stream, number / 4, words);
        const auto skipped = static_cast<std::int64_t>(number % 4);
        const std::int64_t count = std::min<std::int64_t>(4 * kLanes - skipped, end - i);
        for (std::int64_t k = 0; k < count; ++k) {
          const auto word = static_cast<std::size_t>(skipped + k);
          kept[i + k] = uniform_from(words[word % 4][word / 4]) < threshold ? T{0} : scale;
          output[i + k] = input[i + k] * kept[i + k];
        }
        i += count;
      }
    });
  });
}

}  // namespace

void register_noise_kernels(KernelTable& table) { table.set<kernels::Dropout>(dropout); }

}  // namespace renkei::cpu
