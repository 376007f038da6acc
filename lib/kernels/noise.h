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

/// y = scale N(0, 1): elements 4k to 4k + 3 are normal_from of the words (0, 1) and (2, 3) of block k.
struct FillNormal {
  static constexpr std::string_view kName = "fill_normal";
  using Fn = void(std::uint64_t seed, std::uint64_t stream, double scale, const Array& y);
};

/// y = U[-bound, bound): elements 2k and 2k + 1 take 53 bits each from the words (0, 1) and (2, 3) of block k.
struct FillUniform {
  static constexpr std::string_view kName = "fill_uniform";
  using Fn = void(std::uint64_t seed, std::uint64_t stream, double bound, const Array& y);
};

}  // namespace renkei::kernels
