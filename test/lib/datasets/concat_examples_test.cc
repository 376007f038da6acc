#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/concat_examples.h>
#include <renkei/lib/datasets/dataset.h>
#include <renkei/lib/device/creation.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

Arrays example(const Shape& shape, float first) {
  std::vector<float> elements(static_cast<std::size_t>(shape.size()));
  for (float& element : elements) element = first++;
  return {to_array(elements, shape)};
}

/// Examples of growing width; number 7 cannot be read, number 5 throws something that is no Error.
class Ragged : public Dataset {
 public:
  std::int64_t size() const override { return 10; }
  Arrays get(std::int64_t i) const override {
    if (i == 7) throw FileError{"picture_7.png", "no such file"};
    if (i == 5) throw std::out_of_range{"vector: 12 >= 9"};
    return example({3, i < 4 ? 4 : 5}, 0);
  }
};

}  // namespace

TEST_CASE("examples are stacked field by field") {
  const Arrays a{to_array<float>({1, 2}, {2}), to_array<std::int32_t>({3}, {})};
  const Arrays b{to_array<float>({4, 5}, {2}), to_array<std::int32_t>({6}, {})};
  const Arrays batch = concat_examples({a, b});
  CHECK(batch[0].shape() == Shape{2, 2});
  CHECK(to_vector<float>(batch[0]) == std::vector<float>{1, 2, 4, 5});
  CHECK(batch[1].shape() == Shape{2});
  CHECK(to_vector<std::int32_t>(batch[1]) == std::vector<std::int32_t>{3, 6});
}

TEST_CASE("padding puts arrays into the smallest shape that holds them all") {
  const Arrays batch = concat_examples({example({2, 1}, 1), example({1, 3}, 10)}, {.padding = {-1}});
  CHECK(batch[0].shape() == Shape{2, 2, 3});
  CHECK(to_vector<float>(batch[0]) == std::vector<float>{1, -1, -1, 2, -1, -1, 10, 11, 12, -1, -1, -1});
}

TEST_CASE("padding copies runs of equal inner axes correctly") {
  const Arrays batch = concat_examples({example({1, 2, 2}, 0), example({2, 1, 2}, 10)}, {.padding = {9}});
  CHECK(batch[0].shape() == Shape{2, 2, 2, 2});
  CHECK(to_vector<float>(batch[0]) == std::vector<float>{0, 1, 2, 3, 9, 9, 9, 9, 10, 11, 9, 9, 12, 13, 9, 9});
}

TEST_CASE("each field may have its own padding; an empty array is all padding") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Arrays a{to_array<float>(std::vector<float>{}, {0}), to_array<std::int32_t>({1, 2}, {2})};
  const Arrays b{to_array<float>({1}, {1}), to_array<std::int32_t>({3}, {1})};
  const Arrays batch = concat_examples({a, b}, {.padding = {nan, -100}});
  const auto x = to_vector<float>(batch[0]);
  CHECK(std::isnan(x[0]));
  CHECK(x[1] == 1.0f);
  CHECK(to_vector<std::int32_t>(batch[1]) == std::vector<std::int32_t>{1, 2, 3, -100});
  CHECK_THROWS_WITH(concat_examples({a, b}, {.padding = {0, 0, 0}}), Contains("padding") && Contains("3"));
}

TEST_CASE("an empty batch is an error") { CHECK_THROWS_WITH(concat_examples({}), Contains("batch is empty")); }

TEST_CASE("examples that do not fit are named with both shapes or dtypes") {
  const std::vector<std::int64_t> numbers{17, 42};
  CHECK_THROWS_WITH(concat_examples({example({3, 4}, 0), example({3, 5}, 0)}, {.indices = numbers}),
                    Contains("example 17=(3, 4)") && Contains("example 42=(3, 5)"));
  CHECK_THROWS_WITH(concat_examples({example({3, 4}, 0), example({3}, 0)}, {.padding = {0}}),
                    Contains("(3, 4)") && Contains("(3,)"));
  CHECK_THROWS_AS(concat_examples({example({1}, 0), {to_array<double>({1}, {1})}}), DtypeError);
  CHECK_THROWS_WITH(concat_examples({example({1}, 0), {}}), Contains("1 fields") && Contains("0"));
}

TEST_CASE("the default gather names the example at fault") {
  const Ragged dataset;
  const auto gather = [&](std::vector<std::int64_t> indices) { return dataset.gather(indices); };
  CHECK(gather({0, 3})[0].shape() == Shape{2, 3, 4});
  CHECK_THROWS_WITH(gather({1, 8}), Contains("example 1=(3, 4)") && Contains("example 8=(3, 5)"));
  CHECK_THROWS_AS(gather({7}), FileError);
  CHECK_THROWS_WITH(gather({0, 7}), "example 7: picture_7.png: no such file");
  CHECK_THROWS_AS(gather({5}), std::runtime_error);
  CHECK_THROWS_WITH(gather({0, 5}), "example 5: vector: 12 >= 9");
}
