// Kernel keys: random noise. Element i of the whole is a pure function of (seed, stream, i).
#pragma once

#include <cstdint>
#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// Where an operation draws its numbers: element i of an array takes number `first + i` of the stream, which is word
/// (first + i) % 4 of Philox block (first + i) / 4.
struct RandomSource {
  std::uint64_t seed = 0, stream = 0, first = 0;
};

/// mask[i] = 0 with probability `ratio`, else 1 / (1 - ratio);  y[i] = x[i] mask[i] in the same pass.
/// Same size and dtype (float32 or float64).
struct Dropout {
  static constexpr std::string_view kName = "dropout";
  using Fn = void(const RandomSource& source, double ratio, const Array& x, const Array& y, const Array& mask);
};

}  // namespace renkei::kernels
