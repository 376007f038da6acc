// The golden checker must be able to fail.
#include <cmath>

#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>

#include "golden/golden.h"

using namespace renkei;
using golden::Outcome;

namespace {

constexpr golden::Tolerance kTolerance{0.01, 0.1};

std::string text_of(const Array& got, const Array& want) {
  Outcome outcome;
  outcome.compare("y0", got, want, kTolerance);
  CHECK(outcome.comparisons() == 1);
  return outcome.passed() ? "" : outcome.text();
}

bool agree(double got, double want, golden::Tolerance tolerance = kTolerance) {
  Outcome outcome;
  outcome.compare("x", got, want, tolerance);
  return outcome.passed();
}

}  // namespace

TEST_CASE("values within atol + rtol |want| agree, and no others") {
  CHECK(agree(1.1, 1));
  CHECK(agree(-0.9, -1));
  CHECK_FALSE(agree(1.12, 1));
  CHECK(agree(0.009, 0));
  CHECK_FALSE(agree(0.011, 0));
  CHECK(agree(1, 1, {}));
  CHECK_FALSE(agree(1, std::nextafter(1, 2), {}));
}

TEST_CASE("NaN agrees with NaN only, infinity with itself only") {
  CHECK(agree(NAN, NAN));
  CHECK_FALSE(agree(NAN, 1));
  CHECK_FALSE(agree(1, NAN));
  CHECK(agree(INFINITY, INFINITY));
  CHECK_FALSE(agree(INFINITY, -INFINITY));
  CHECK_FALSE(agree(1e300, INFINITY));
  CHECK_FALSE(agree(INFINITY, 1e300));
}

TEST_CASE("the worst element is named with its place and both values") {
  const std::string text =
      text_of(to_array<float>({0, 1, 5, 3, 4.6f, 5}, {2, 3}), to_array<float>({0, 1, 2, 3, 4, 5}, {2, 3}));
  CHECK_THAT(text, Catch::Contains("y0 at (0, 2)") && Catch::Contains("got 5, want 2") &&
                       Catch::Contains("error 3") && Catch::Contains("2 of 6"));
  CHECK(text_of(to_array<float>({1}, {1}), to_array<float>({1}, {1})).empty());
}

TEST_CASE("another shape fails even where numpy would broadcast") {
  CHECK_THAT(text_of(zeros({2, 1}, Dtype::float32), zeros({2}, Dtype::float32)),
             Catch::Contains("(2, 1)") && Catch::Contains("(2,)"));
  CHECK_FALSE(text_of(Array{}, zeros({2}, Dtype::float32)).empty());
}

TEST_CASE("of several failures the worst is told and all are counted") {
  Outcome outcome;
  outcome.compare("a", 2, 1, kTolerance);
  outcome.compare("b", 9, 1, kTolerance);
  outcome.compare("c", 1, 1, kTolerance);
  CHECK_FALSE(outcome.passed());
  CHECK_THAT(outcome.text(), Catch::StartsWith("b: got 9") && Catch::Contains("2 of 3"));
}
