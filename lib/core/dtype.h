// Dtype: the element type of an array, and the bridge between run-time and compile-time types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <renkei/lib/core/half.h>

namespace renkei {

/// Arithmetic runs in float32 and float64; the others are stored, cast and used as labels or indices.
enum class Dtype : std::uint8_t { float32, float64, float16, bfloat16, int32, int64, uint8, boolean };

std::int64_t size_of(Dtype dtype);           ///< bytes per element
std::string name_of(Dtype dtype);            ///< "float32", "bool", ...: NumPy's names
Dtype dtype_named(std::string_view name);    ///< inverse of name_of; throws ValueError
bool is_floating(Dtype dtype);               ///< one of the four floating types

template <class T> struct DtypeOf;
template <> struct DtypeOf<float> { static constexpr Dtype value = Dtype::float32; };
template <> struct DtypeOf<double> { static constexpr Dtype value = Dtype::float64; };
template <> struct DtypeOf<Float16> { static constexpr Dtype value = Dtype::float16; };
template <> struct DtypeOf<BFloat16> { static constexpr Dtype value = Dtype::bfloat16; };
template <> struct DtypeOf<std::int32_t> { static constexpr Dtype value = Dtype::int32; };
template <> struct DtypeOf<std::int64_t> { static constexpr Dtype value = Dtype::int64; };
template <> struct DtypeOf<std::uint8_t> { static constexpr Dtype value = Dtype::uint8; };
template <> struct DtypeOf<bool> { static constexpr Dtype value = Dtype::boolean; };
template <class T> inline constexpr Dtype dtype_of = DtypeOf<T>::value;

template <class T> struct TypeTag { using type = T; };

[[noreturn]] void throw_not_arithmetic(std::string_view where, Dtype dtype);
[[noreturn]] void throw_not_label(std::string_view where, Dtype dtype);

/// Calls f(TypeTag<T>{}) with the C++ type of `dtype`.
template <class F>
decltype(auto) visit_dtype(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::float32: return f(TypeTag<float>{});
    case Dtype::float64: return f(TypeTag<double>{});
    case Dtype::float16: return f(TypeTag<Float16>{});
    case Dtype::bfloat16: return f(TypeTag<BFloat16>{});
    case Dtype::int32: return f(TypeTag<std::int32_t>{});
    case Dtype::int64: return f(TypeTag<std::int64_t>{});
    case Dtype::uint8: return f(TypeTag<std::uint8_t>{});
    case Dtype::boolean: break;
  }
  return f(TypeTag<bool>{});
}

/// Calls f with float or double; any other dtype throws a DtypeError that names `where`.
template <class F>
decltype(auto) visit_float(std::string_view where, Dtype dtype, F&& f) {
  if (dtype == Dtype::float32) return f(TypeTag<float>{});
  if (dtype == Dtype::float64) return f(TypeTag<double>{});
  throw_not_arithmetic(where, dtype);
}

/// Calls f with the type of a label array: int32, int64 or uint8.
template <class F>
decltype(auto) visit_label(std::string_view where, Dtype dtype, F&& f) {
  if (dtype == Dtype::int32) return f(TypeTag<std::int32_t>{});
  if (dtype == Dtype::int64) return f(TypeTag<std::int64_t>{});
  if (dtype == Dtype::uint8) return f(TypeTag<std::uint8_t>{});
  throw_not_label(where, dtype);
}

}  // namespace renkei
