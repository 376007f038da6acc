#include <cmath>

#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("arrays are made from host elements and read back, in every dtype") {
  CHECK(to_vector<float>(to_array<float>({1, 2}, {2})) == std::vector<float>{1, 2});
  CHECK(to_vector<bool>(to_array<bool>({true, false}, {2, 1})) == std::vector<bool>{true, false});
  CHECK(to_vector<std::uint8_t>(full({3}, 7, Dtype::uint8)) == std::vector<std::uint8_t>{7, 7, 7});
  CHECK(to_vector<std::int64_t>(zeros({0, 2}, Dtype::int64)).empty());
  CHECK(to_double(full({}, 2.5, Dtype::float16)) == 2.5);
  CHECK(to_double(full({1, 1}, 2.5, Dtype::bfloat16)) == 2.5);
  check_error<ShapeError>([] { to_array<float>({1, 2}, {3}); }, {"(2,)", "(3,)"});
  check_error<ShapeError>([] { to_double(zeros({2}, Dtype::float32)); }, {"(2,)"});
}

TEST_CASE("casts go from every dtype to every other") {
  const std::vector<Dtype> all{Dtype::float32, Dtype::float64, Dtype::float16, Dtype::bfloat16,
                               Dtype::int32,   Dtype::int64,   Dtype::uint8,   Dtype::boolean};
  for (const Dtype from : all)
    for (const Dtype to : all) CHECK(to_double(cast(full({1}, 1, from), to)) == 1);
  CHECK(to_double(cast(full({1}, -2.7, Dtype::float32), Dtype::int32)) == -2);
  CHECK(std::isnan(to_double(cast(full({1}, std::nan(""), Dtype::float64), Dtype::bfloat16))));
  const Array x = zeros({2}, Dtype::float32);
  CHECK(cast(x, Dtype::float32).is(x));
}

TEST_CASE("copies do not share elements, also between devices") {
  const Array x = full({2}, 3, Dtype::float32);
  const Array here = copy(x), there = to_device(x, get_device("cpu:1"));
  fill(x, 4);
  CHECK(to_vector<float>(here) == std::vector<float>{3, 3});
  CHECK(to_vector<float>(there) == std::vector<float>{3, 3});
  CHECK(there.device().name() == "cpu:1");
  check_error<ShapeError>([&] { copy_into(x, zeros({3}, Dtype::float32)); }, {"(2,)", "(3,)"});
  check_error<DtypeError>([&] { copy_into(x, zeros({2}, Dtype::float64)); }, {"float32", "float64"});
}
