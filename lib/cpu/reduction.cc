// Sums are taken in blocks: lanes of float within a block (the compiler keeps them in vector registers), double across
// blocks. Where blocks begin depends on the shape alone, never on the number of threads.
#include <renkei/lib/kernels/reduction.h>

#include <algorithm>
#include <array>
#include <vector>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

constexpr std::int64_t kLanes = 32, kBlock = 64 * kLanes, kChunk = 16 * kBlock;
constexpr std::int64_t kColumns = 64, kBlockRows = 64, kChunkRows = 16 * kBlockRows;

/// Sum of n neighbouring elements.
template <class T>
double sum_run(const T* x, std::int64_t n) {
  double total = 0;
  while (n >= kLanes) {
    const std::int64_t block = std::min(n / kLanes * kLanes, kBlock);
    std::array<T, kLanes> lanes{};
    for (std::int64_t i = 0; i < block; i += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)] += x[i + lane];
    for (const T lane : lanes) total += static_cast<double>(lane);
    x += block;
    n -= block;
  }
  for (std::int64_t i = 0; i < n; ++i) total += static_cast<double>(x[i]);
  return total;
}

/// Sums of `width` (at most kColumns) neighbouring columns over n rows that are `stride` apart, added to `total`.
template <class T>
void sum_columns(const T* x, std::int64_t n, std::int64_t stride, std::int64_t width, double* total) {
  for (std::int64_t begin = 0; begin < n; begin += kBlockRows) {
    const std::int64_t end = std::min(begin + kBlockRows, n);
    std::array<T, kColumns> block{};
    if (width == kColumns) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t j = 0; j < kColumns; ++j) block[static_cast<std::size_t>(j)] += x[row * stride + j];
    } else {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t j = 0; j < width; ++j) block[static_cast<std::size_t>(j)] += x[row * stride + j];
    }
    for (std::int64_t j = 0; j < width; ++j) total[j] += static_cast<double>(block[static_cast<std::size_t>(j)]);
  }
}

/// inner = 1. Long rows are cut into chunks whose sums are then added in order.
template <class T>
void sum_rows(const CpuDevice& device, const T* x, std::int64_t outer, std::int64_t n, T* y) {
  const std::int64_t chunks = std::max<std::int64_t>((n + kChunk - 1) / kChunk, 1);
  if (chunks == 1) {
    parallel_for(device, outer, kElementsPerThread / std::max<std::int64_t>(n, 1) + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(sum_run(x + i * n, n));
    });
    return;
  }
  std::vector<double> partial(static_cast<std::size_t>(outer * chunks));
  parallel_for(device, outer * chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t row = part / chunks, first = part % chunks * kChunk;
      partial[static_cast<std::size_t>(part)] = sum_run(x + row * n + first, std::min(kChunk, n - first));
    }
  });
  for (std::int64_t row = 0; row < outer; ++row) {
    double total = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) total += partial[static_cast<std::size_t>(row * chunks + chunk)];
    y[row] = static_cast<T>(total);
  }
}

/// inner > 1. Work is cut into tiles of columns, and many rows into chunks of rows.
template <class T>
void sum_middle(const CpuDevice& device, const T* x, std::int64_t outer, std::int64_t n, std::int64_t inner, T* y) {
  const std::int64_t tiles = (inner + kColumns - 1) / kColumns;
  const std::int64_t chunks = std::max<std::int64_t>((n + kChunkRows - 1) / kChunkRows, 1);
  const auto sum_tile = [&](std::int64_t i, std::int64_t tile, std::int64_t chunk, double* total) {
    const std::int64_t column = tile * kColumns, row = chunk * kChunkRows;
    const std::int64_t width = std::min(kColumns, inner - column);
    std::fill(total, total + width, 0.0);
    sum_columns(x + (i * n + row) * inner + column, std::min(kChunkRows, n - row), inner, width, total);
    return width;
  };
  const std::int64_t work = std::min(n, kChunkRows) * std::min(inner, kColumns);
  const std::int64_t grain = kElementsPerThread / std::max<std::int64_t>(work, 1) + 1;
  if (chunks == 1) {
    parallel_for(device, outer * tiles, grain, [&](std::int64_t begin, std::int64_t end) {
      std::array<double, kColumns> total;
      for (std::int64_t part = begin; part < end; ++part) {
        const std::int64_t i = part / tiles, tile = part % tiles, width = sum_tile(i, tile, 0, total.data());
        for (std::int64_t j = 0; j < width; ++j) y[i * inner + tile * kColumns + j] = static_cast<T>(total[static_cast<std::size_t>(j)]);
      }
    });
    return;
  }
  const std::int64_t padded = tiles * kColumns;
  std::vector<double> partial(static_cast<std::size_t>(outer * chunks * padded));
  parallel_for(device, outer * chunks * tiles, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part)
      sum_tile(part / (chunks * tiles), part % tiles, part / tiles % chunks, partial.data() + part * kColumns);
  });
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < inner; ++j) {
      double total = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) total += partial[static_cast<std::size_t>((i * chunks + chunk) * padded + j)];
      y[i * inner + j] = static_cast<T>(total);
    }
}

void sum(const Array& x, const Array& y) {
  visit_float(kernels::Sum::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t outer = x.shape()[0], n = x.shape()[1], inner = x.shape()[2];
    if (inner == 1) sum_rows(device_of(y), x.data<T>(), outer, n, y.data<T>());
    else sum_middle(device_of(y), x.data<T>(), outer, n, inner, y.data<T>());
  });
}

}  // namespace

void register_reduction_kernels(KernelTable& table) {
  table.set<kernels::Sum>(sum);
}

}  // namespace renkei::cpu
