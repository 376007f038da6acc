#include <renkei/lib/core/array.h>
#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("reshaped and sliced arrays share their elements") {
  const Array x = to_array<float>({0, 1, 2, 3, 4, 5}, {3, 2});
  const Array rows = x.slice(1, 3);
  CHECK(rows.shape() == Shape{2, 2});
  rows.reshape({4}).data<float>()[0] = 7;
  CHECK(to_vector<float>(x) == std::vector<float>{0, 1, 7, 3, 4, 5});
  CHECK(x.slice(1, 1).size() == 0);
  CHECK(x.slice(0, 3).is(x));
  CHECK_FALSE(rows.is(x));
}

TEST_CASE("views that do not fit name both shapes") {
  const Array x = zeros({3, 2}, Dtype::float32);
  check_error<ShapeError>([&] { x.reshape({4}); }, {"(3, 2)", "(4,)"});
  check_error<ShapeError>([&] { x.slice(2, 4); }, {"(3, 2)"});
}

TEST_CASE("reading elements as another type names both types") {
  check_error<DtypeError>([] { zeros({1}, Dtype::int64).data<double>(); }, {"int64", "float64"});
}
