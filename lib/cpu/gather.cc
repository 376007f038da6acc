#include <renkei/lib/kernels/gather.h>

#include <algorithm>
#include <type_traits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>

namespace renkei::cpu {
namespace {

template <class T> constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class From, class To>
void convert_row(const From* __restrict source, To* __restrict target, std::int64_t count) {
  if constexpr (std::is_same_v<From, To>) {
    std::copy_n(source, count, target);
  } else {
    using Step = std::conditional_t<kIsHalf<From> || kIsHalf<To>, float, From>;  // halves know float only
    for (std::int64_t i = 0; i < count; ++i) target[i] = static_cast<To>(static_cast<Step>(source[i]));
  }
}

/// A true division, not a product with the reciprocal: pixel / 255 must have the bits that everybody else gets.
template <class From, class To>
void divide_row(const From* __restrict source, To* __restrict target, std::int64_t count, To divisor) {
  for (std::int64_t i = 0; i < count; ++i) target[i] = static_cast<To>(source[i]) / divisor;
}

/// Calls body(source, target, elements) for each row. (Asking for rows ahead gains nothing: tried with 1 to 16 rows of
/// 784 bytes out of 47 MB, 0.32 us a row with and without; 0.11 us when they are in the cache.)
template <class From, class To, class Body>
void for_rows(const Array& x, std::span<const std::int64_t> rows, const Array& y, const Body& body) {
  const std::int64_t row_size = x.shape().product(1, x.ndim());
  To* target = y.data<To>();
  for (const std::int64_t row : rows) {
    body(x.data<From>() + row * row_size, target, row_size);
    target += row_size;
  }
}

void gather_rows(const Array& x, std::span<const std::int64_t> rows, double divisor, const Array& y) {
  visit_dtype(x.dtype(), [&](auto from) {
    using From = typename decltype(from)::type;
    if (divisor == 0.0) {
      visit_dtype(y.dtype(), [&](auto to) {
        using To = typename decltype(to)::type;
        for_rows<From, To>(x, rows, y, convert_row<From, To>);
      });
    } else if constexpr (kIsHalf<From>) {
      throw_not_arithmetic("gather_rows", x.dtype());
    } else {
      visit_float("gather_rows", y.dtype(), [&](auto to) {
        using To = typename decltype(to)::type;
        for_rows<From, To>(x, rows, y,
                           [divisor = static_cast<To>(divisor)](const From* source, To* target, auto count) {
                             divide_row(source, target, count, divisor);
                           });
      });
    }
  });
}

}  // namespace

void register_gather_kernels(KernelTable& table) { table.set<kernels::GatherRows>(gather_rows); }

}  // namespace renkei::cpu
