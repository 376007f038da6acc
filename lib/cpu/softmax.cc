#include <renkei/lib/kernels/softmax.h>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>
#include <renkei/lib/cpu/softmax.h>

namespace renkei::cpu {
namespace {

/// Calls row(offset) for each row, or columns(offset, width) for each tile of neighbouring columns.
template <class Row, class Columns>
void for_each_softmax(const Array& x, const Row& row, const Columns& columns) {
  const std::int64_t outer = x.shape()[0], n = x.shape()[1], inner = x.shape()[2];
  if (x.size() == 0) return;
  const std::int64_t tiles = (inner + kSoftmaxColumns - 1) / kSoftmaxColumns;
  const std::int64_t grain = kElementsPerThread / 8 / (n * std::min(inner, kSoftmaxColumns)) + 1;
  parallel_for(device_of(x), outer * tiles, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t column = part % tiles * kSoftmaxColumns, offset = part / tiles * n * inner + column;
      if (inner == 1) row(offset);
      else columns(offset, std::min(kSoftmaxColumns, inner - column));
    }
  });
}

void softmax(const Array& x, const Array& y) {
  visit_float(kernels::Softmax::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = x.data<T>();
    T* target = y.data<T>();
    const std::int64_t n = x.shape()[1], inner = x.shape()[2];
    for_each_softmax(
        x, [=](std::int64_t at) { softmax_row(source + at, n, target + at); },
        [=](std::int64_t at, std::int64_t width) {
          ColumnTotals<T> totals;
          softmax_columns(source + at, n, inner, width, target + at, totals);
        });
  });
}

void log_softmax(const Array& x, const Array& y) {
  visit_float(kernels::LogSoftmax::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = x.data<T>();
    T* target = y.data<T>();
    const std::int64_t n = x.shape()[1], inner = x.shape()[2];
    constexpr T* kNowhere = nullptr;
    for_each_softmax(
        x,
        [=](std::int64_t at) {
          const auto [largest, log_sum] = softmax_row(source + at, n, kNowhere);
          for (std::int64_t c = 0; c < n; ++c) target[at + c] = (source[at + c] - largest) - log_sum;
        },
        [=](std::int64_t at, std::int64_t width) {
          ColumnTotals<T> totals;
          softmax_columns(source + at, n, inner, width, kNowhere, totals);
          for (std::int64_t c = 0; c < n; ++c)
            for (std::int64_t j = 0; j < width; ++j) {
              const auto column = static_cast<std::size_t>(j);
              target[at + c * inner + j] = (source[at + c * inner + j] - totals.largest[column]) - totals.log_sum[column];
            }
        });
  });
}

}  // namespace

void register_softmax_kernels(KernelTable& table) {
  table.set<kernels::Softmax>(softmax);
  table.set<kernels::LogSoftmax>(log_softmax);
}

}  // namespace renkei::cpu
