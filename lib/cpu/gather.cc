#include <renkei/lib/kernels/gather.h>

#include <cstring>
#include <type_traits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>

namespace renkei::cpu {
namespace {

template <class T> constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class From, class To>
void convert_row(const From* __restrict source, To* __restrict target, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (kIsHalf<From> || kIsHalf<To>) {
      target[i] = static_cast<To>(static_cast<float>(source[i]));
    } else {
      target[i] = static_cast<To>(source[i]);
    }
  }
}

/// A true division, not a product with the reciprocal: pixel / 255 must have the bits that everybody else gets.
template <class From, class To>
void divide_row(const From* __restrict source, To* __restrict target, std::int64_t count, To divisor) {
  for (std::int64_t i = 0; i < count; ++i) target[i] = static_cast<To>(source[i]) / divisor;
}

void gather_rows(const Array& x, std::span<const std::int64_t> rows, double divisor, const Array& y) {
  const std::int64_t row_size = x.shape().product(1, x.ndim());
  if (divisor == 0.0 && x.dtype() == y.dtype()) {
    const std::int64_t bytes = row_size * size_of(x.dtype());
    std::byte* target = y.raw_data();
    for (const std::int64_t row : rows) {
      std::memcpy(target, x.raw_data() + row * bytes, static_cast<std::size_t>(bytes));
      target += bytes;
    }
    return;
  }
  visit_dtype(x.dtype(), [&](auto from) {
    using From = typename decltype(from)::type;
    const From* source = x.data<From>();
    if (divisor == 0.0) {
      visit_dtype(y.dtype(), [&](auto to) {
        using To = typename decltype(to)::type;
        To* target = y.data<To>();
        for (const std::int64_t row : rows) {
          convert_row(source + row * row_size, target, row_size);
          target += row_size;
        }
      });
    } else if constexpr (kIsHalf<From>) {
      throw_not_arithmetic("gather_rows", x.dtype());
    } else {
      visit_float("gather_rows", y.dtype(), [&](auto to) {
        using To = typename decltype(to)::type;
        To* target = y.data<To>();
        for (const std::int64_t row : rows) {
          divide_row(source + row * row_size, target, row_size, static_cast<To>(divisor));
          target += row_size;
        }
      });
    }
  });
}

}  // namespace

void register_gather_kernels(KernelTable& table) { table.set<kernels::GatherRows>(gather_rows); }

}  // namespace renkei::cpu
