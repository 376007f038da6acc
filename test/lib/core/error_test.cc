#include "support/throws.h"

using namespace renkei;

TEST_CASE("errors carry their operands") {
  CHECK(std::string{ShapeError{"linear", {{"x", {32, 100}}, {"w", {10, 784}}}, "equal in"}.what()} ==
        "linear: got x=(32, 100) w=(10, 784); want equal in");
  CHECK(std::string{DtypeError{"linear", {{"x", Dtype::float32}, {"w", Dtype::float64}}, "equal dtypes"}.what()} ==
        "linear: got x=float32 w=float64; want equal dtypes");
  CHECK(std::string{ValueError{"batch_size", 0, "at least 1"}.what()} == "batch_size: got 0; want at least 1");
  CHECK(std::string{FileError{"a.npz", 16, "truncated"}.what()} == "a.npz: offset 16: truncated");
}

TEST_CASE("the innermost link keeps the blame") {
  Error error{"linear: bad"};
  const int inner = 0, outer = 0;
  error.blame(&inner);
  error.blame(&outer);
  CHECK(error.link() == &inner);
  error.prepend("predictor/l2");
  CHECK(std::string{error.what()} == "predictor/l2: linear: bad");
}
