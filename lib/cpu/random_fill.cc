// Random arrays on the CPU. Box and Muller with logarithm, sine and cosine as plain polynomials: without calls and
// branches the compiler makes vector code of them, ten times as fast as the C library's.
#include <renkei/lib/kernels/noise.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>
#include <renkei/lib/cpu/philox_blocks.h>

namespace renkei::cpu {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

double to_double(std::uint32_t word) {  // through a signed integer, which every vector unit converts
  return static_cast<double>(static_cast<std::int32_t>(word ^ 0x80000000u)) + 0x1p31;
}

/// log(n 2^-32) for 1 <= n <= 2^32: log of the exponent plus 2 atanh((m - 1) / (m + 1)) with m near 1.
double log_fraction(double n) {
  const auto bits = std::bit_cast<std::uint64_t>(n);
  const auto exponent = static_cast<std::int32_t>(bits >> 52) - 1023;
  const double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  const bool above = mantissa > 1.41421356237309504880;
  const double m = above ? 0.5 * mantissa : mantissa;
  const double e = static_cast<double>(exponent - 32) + (above ? 1.0 : 0.0);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double series = 1.0 / 21;
  series = series * z + 1.0 / 19;
  series = series * z + 1.0 / 17;
  series = series * z + 1.0 / 15;
  series = series * z + 1.0 / 13;
  series = series * z + 1.0 / 11;
  series = series * z + 1.0 / 9;
  series = series * z + 1.0 / 7;
  series = series * z + 1.0 / 5;
  series = series * z + 1.0 / 3;
  return e * kLn2 + 2.0 * s * (1.0 + z * series);
}

struct SinCos {
  double sin, cos;
};

/// Sine and cosine of word 2^-32 turns: exact to the nearest quarter turn, Taylor series for the rest.
SinCos sin_cos_turn(std::uint32_t word) {
  const std::uint32_t quarter = (word + 0x20000000u) >> 30;
  const auto rest = static_cast<std::int32_t>(word - (quarter << 30));
  const double x = static_cast<double>(rest) * (6.28318530717958647693 * 0x1p-32), z = x * x;
  double s = -1.0 / 1307674368000, c = 1.0 / 20922789888000;
  s = s * z + 1.0 / 6227020800;
  c = c * z - 1.0 / 87178291200;
  s = s * z - 1.0 / 39916800;
  c = c * z + 1.0 / 479001600;
  s = s * z + 1.0 / 362880;
  c = c * z - 1.0 / 3628800;
  s = s * z - 1.0 / 5040;
  c = c * z + 1.0 / 40320;
  s = s * z + 1.0 / 120;
  c = c * z - 1.0 / 720;
  s = s * z - 1.0 / 6;
  c = c * z + 1.0 / 24;
  c = c * z - 0.5;
  const double sine = x + x * z * s, cosine = 1.0 + z * c;
  const double first = quarter & 1u ? cosine : sine, second = quarter & 1u ? sine : cosine;
  return {quarter & 2u ? -first : first, (quarter + 1u) & 2u ? -second : second};
}

/// Two normal values for each lane, as normal_from makes them.
void normals(const PhiloxWords& a, const PhiloxWords& b, double scale, double* cosines, double* sines) {
  for (std::size_t lane = 0; lane < kPhiloxLanes; ++lane) {
    const double radius = scale * std::sqrt(-2.0 * log_fraction(to_double(a[lane]) + 1.0));
    const SinCos angle = sin_cos_turn(b[lane]);
    cosines[lane] = radius * angle.cos;
    sines[lane] = radius * angle.sin;
  }
}

double uniform53(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

/// Calls make(words, values) for runs of kPhiloxLanes blocks; `values` has kPerBlock doubles for each, in order.
template <std::int64_t kPerBlock, class Make>
void fill(std::uint64_t seed, std::uint64_t stream, const Array& y, const Make& make) {
  visit_float("random values", y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* target = y.data<T>();
    constexpr std::int64_t run = kPerBlock * static_cast<std::int64_t>(kPhiloxLanes);
    const std::int64_t count = y.size(), runs = (count + run - 1) / run;
    parallel_for(device_of(y), runs, kElementsPerThread / 4 / run, [=](std::int64_t first, std::int64_t last) {
      std::array<PhiloxWords, 4> words;
      double values[run];
      for (std::int64_t r = first; r < last; ++r) {
        philox_blocks(seed, stream, static_cast<std::uint64_t>(r) * kPhiloxLanes, words);
        make(words, values);
        const std::int64_t begin = r * run, n = std::min(run, count - begin);
        for (std::int64_t k = 0; k < n; ++k) target[begin + k] = static_cast<T>(values[k]);
      }
    });
  });
}

void fill_normal(std::uint64_t seed, std::uint64_t stream, double scale, const Array& y) {
  fill<4>(seed, stream, y, [scale](const std::array<PhiloxWords, 4>& words, double* values) {
    double parts[4][kPhiloxLanes];
    normals(words[0], words[1], scale, parts[0], parts[1]);
    normals(words[2], words[3], scale, parts[2], parts[3]);
    for (std::size_t lane = 0; lane < kPhiloxLanes; ++lane)
      for (std::size_t k = 0; k < 4; ++k) values[4 * lane + k] = parts[k][lane];
  });
}

void fill_uniform(std::uint64_t seed, std::uint64_t stream, double bound, const Array& y) {
  fill<2>(seed, stream, y, [bound](const std::array<PhiloxWords, 4>& words, double* values) {
    for (std::size_t lane = 0; lane < kPhiloxLanes; ++lane)
      for (std::size_t k = 0; k < 2; ++k)
        values[2 * lane + k] = bound * (2.0 * uniform53(words[2 * k][lane], words[2 * k + 1][lane]) - 1.0);
  });
}

}  // namespace

void register_random_fill_kernels(KernelTable& table) {
  table.set<kernels::FillNormal>(fill_normal);
  table.set<kernels::FillUniform>(fill_uniform);
}

}  // namespace renkei::cpu
