// Softmax of one row, or of neighbouring columns at once; shared by softmax, log_softmax and softmax cross entropy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <renkei/lib/kernels/math.h>

namespace renkei::cpu {

/// Columns handled at once where the classes are not neighbours in memory.
inline constexpr std::int64_t kSoftmaxColumns = 32;

/// log(sum(exp(x))) in two terms: log_softmax(x) = (x - largest) - log_sum keeps its digits where x is large.
template <class T>
struct LogTotal {
  T largest, log_sum;
};

/// p = exp(x - largest) / sum over the n elements of a row. p may be x or null.
template <class T>
LogTotal<T> softmax_row(const T* x, std::int64_t n, T* p) {
  T largest = x[0];
#pragma omp simd reduction(max : largest)
  for (std::int64_t c = 1; c < n; ++c) largest = x[c] > largest ? x[c] : largest;
  T total = 0;
  if (!p) {
#pragma omp simd reduction(+ : total)
    for (std::int64_t c = 0; c < n; ++c) total += kernels::math::exp(x[c] - largest);
    return {largest, std::log(total)};
  }
#pragma omp simd reduction(+ : total)
  for (std::int64_t c = 0; c < n; ++c) total += p[c] = kernels::math::exp(x[c] - largest);
  const T inverse = T{1} / total;
  for (std::int64_t c = 0; c < n; ++c) p[c] *= inverse;
  return {largest, std::log(total)};
}

template <class T>
struct ColumnTotals {
  std::array<T, kSoftmaxColumns> largest, log_sum;
};

/// The same for `width` (at most kSoftmaxColumns) columns: element (c, j) is at c * stride + j.
template <class T>
void softmax_columns(const T* x, std::int64_t n, std::int64_t stride, std::int64_t width, T* p,
                     ColumnTotals<T>& totals) {
  std::array<T, kSoftmaxColumns> total{};
  T *high = totals.largest.data(), *sum = total.data();
  std::copy(x, x + width, high);
  for (std::int64_t c = 1; c < n; ++c)
    for (std::int64_t j = 0; j < width; ++j) high[j] = x[c * stride + j] > high[j] ? x[c * stride + j] : high[j];
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t j = 0; j < width; ++j) {
      const T e = kernels::math::exp(x[c * stride + j] - high[j]);
      sum[j] += e;
      if (p) p[c * stride + j] = e;
    }
  for (std::int64_t j = 0; j < width; ++j) totals.log_sum[static_cast<std::size_t>(j)] = std::log(sum[j]);
  if (!p) return;
  for (std::int64_t j = 0; j < width; ++j) sum[j] = T{1} / sum[j];
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t j = 0; j < width; ++j) p[c * stride + j] *= sum[j];
}

}  // namespace renkei::cpu
