#include <cmath>
#include <limits>

#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("dtypes are known by NumPy's names") {
  for (const std::string name : {"float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool"})
    CHECK(name_of(dtype_named(name)) == name);
  check_error<ValueError>([] { dtype_named("complex64"); }, {"complex64"});
}

TEST_CASE("float16 rounds to nearest, ties to even") {
  CHECK(Float16{1.0f}.bits == 0x3c00);
  CHECK(Float16{-2.0f}.bits == 0xc000);
  CHECK(Float16{65504.0f}.bits == 0x7bff);
  CHECK(Float16{65519.9f}.bits == 0x7bff);
  CHECK(Float16{65520.0f}.bits == 0x7c00);
  CHECK(Float16{1.0f + 0x1p-11f}.bits == 0x3c00);          // tie, even below
  CHECK(Float16{1.0f + 3 * 0x1p-11f}.bits == 0x3c02);      // tie, even above
  CHECK(Float16{0x1p-24f}.bits == 0x0001);                 // smallest subnormal
  CHECK(Float16{0x1p-25f}.bits == 0x0000);                 // tie to even: zero
  CHECK(std::isnan(static_cast<float>(Float16{std::numeric_limits<float>::quiet_NaN()})));
}

TEST_CASE("every float16 survives the way through float") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Float16 half;
    half.bits = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<float>(half);
    if (std::isnan(value)) continue;
    REQUIRE(Float16{value}.bits == half.bits);
  }
}

TEST_CASE("bfloat16 rounds to nearest, ties to even") {
  CHECK(BFloat16{1.0f}.bits == 0x3f80);
  CHECK(BFloat16{1.0f + 0x1p-8f}.bits == 0x3f80);
  CHECK(BFloat16{1.0f + 3 * 0x1p-8f}.bits == 0x3f82);
  CHECK(std::isnan(static_cast<float>(BFloat16{std::numeric_limits<float>::quiet_NaN()})));
}
