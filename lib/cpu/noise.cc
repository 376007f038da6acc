#include <renkei/lib/kernels/noise.h>

#include <algorithm>
#include <array>

#include <renkei/lib/core/philox.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>
#include <renkei/lib/cpu/philox_blocks.h>

namespace renkei::cpu {
namespace {

void dropout(const kernels::RandomSource& source, double ratio, const Array& x, const Array& y, const Array& mask) {
  visit_float(kernels::Dropout::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* input = x.data<T>();
    T *output = y.data<T>(), *kept = mask.data<T>();
    const T scale = static_cast<T>(1.0 / (1.0 - ratio));
    const auto threshold = static_cast<float>(ratio);
    parallel_for(device_of(y), x.size(), kElementsPerThread / 4, [=](std::int64_t begin, std::int64_t end) {
      std::array<PhiloxWords, 4> words;
      for (std::int64_t i = begin; i < end;) {
        const std::uint64_t number = source.first + static_cast<std::uint64_t>(i);
        philox_blocks(source.seed, source.stream, number / 4, words);
        const auto skipped = static_cast<std::int64_t>(number % 4);
        const std::int64_t count = std::min<std::int64_t>(4 * kPhiloxLanes - skipped, end - i);
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
