#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("a shape knows its size and prints like a tuple") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{}.to_string() == "()");
  CHECK(Shape{4}.to_string() == "(4,)");
  CHECK(Shape{2, 3, 4}.to_string() == "(2, 3, 4)");
  CHECK(Shape{2, 0, 4}.size() == 0);
  CHECK(Shape{2, 3} != Shape{2, 3, 1});
  CHECK(Shape{2, 3, 4}.without(1) == Shape{2, 4});
  CHECK(Shape{2, 4}.inserted(1, 3) == Shape{2, 3, 4});
}

TEST_CASE("a shape refuses negative extents and more than eight axes") {
  check_error<ValueError>([] { Shape{2, -1}; }, {"extent", "-1"});
  check_error<ValueError>([] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }, {"number of axes", "9", "at most 8"});
}

TEST_CASE("shapes broadcast from the end, and name both when they do not") {
  CHECK(broadcast_shapes("add", {2, 3, 4}, {4}) == Shape{2, 3, 4});
  CHECK(broadcast_shapes("add", {4, 1}, {1, 3}) == Shape{4, 3});
  CHECK(broadcast_shapes("add", {}, {2}) == Shape{2});
  CHECK(broadcast_shapes("add", {0}, {1}) == Shape{0});
  check_error<ShapeError>([] { broadcast_shapes("add", {2, 3}, {2}); }, {"add", "(2, 3)", "(2,)"});
}

TEST_CASE("axes count from the end when negative and may not repeat") {
  CHECK(normalize_axis("sum", -1, 3) == 2);
  CHECK(normalize_axes("sum", {-1, 0}, 3) == Axes{0, 2});
  CHECK(normalize_axes("sum", {}, 2) == Axes{0, 1});
  check_error<ValueError>([] { normalize_axis("sum", 3, 3); }, {"sum", "3"});
  check_error<ValueError>([] { normalize_axes("sum", {0, -3}, 3); }, {"sum", "each axis once"});
  CHECK(reduced_shape({2, 3, 4}, {0, 2}, false) == Shape{3});
  CHECK(reduced_shape({2, 3, 4}, {0, 2}, true) == Shape{1, 3, 1});
}
