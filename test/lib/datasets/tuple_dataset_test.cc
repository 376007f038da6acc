#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>

using namespace renkei;
using Catch::Matchers::Contains;

TEST_CASE("a byte field comes out as float32(pixel) / float32(255), to the bit, for every pixel") {
  std::vector<std::uint8_t> pixels(256);
  for (int i = 0; i < 256; ++i) pixels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  const TupleDataset dataset{{Field{to_array<std::uint8_t>(pixels, {4, 64}), Dtype::float32, 255.0}}};
  const std::vector<std::int64_t> rows{3, 0, 1, 2};
  const std::vector<float> batch = to_vector<float>(dataset.gather(rows)[0]);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 64; ++i) {
      const auto pixel = static_cast<float>(rows[k] * 64 + static_cast<std::int64_t>(i));
      CHECK(batch[k * 64 + i] == pixel / 255.0f);
    }
}

TEST_CASE("fields are gathered in the order of the indices, repeats included, each in its own dtype") {
  const TupleDataset dataset{{Field{to_array<float>({0, 1, 10, 11, 20, 21}, {3, 2})},
                              Field{to_array<std::uint8_t>({7, 8, 9}, {3}), Dtype::int32},
                              Field{to_array<std::int64_t>({-1, 0, 1}, {3}), Dtype::float64}}};
  const std::vector<std::int64_t> rows{2, 0, 2};
  const Arrays batch = dataset.gather(rows);
  REQUIRE(batch.size() == 3);
  CHECK(batch[0].shape() == Shape{3, 2});
  CHECK(to_vector<float>(batch[0]) == std::vector<float>{20, 21, 0, 1, 20, 21});
  CHECK(to_vector<std::int32_t>(batch[1]) == std::vector<std::int32_t>{9, 7, 9});
  CHECK(to_vector<double>(batch[2]) == std::vector<double>{1, -1, 1});
}

TEST_CASE("one example has no batch axis; a label is a scalar") {
  const TupleDataset dataset{{Field{to_array<std::uint8_t>({0, 51, 102, 255}, {2, 1, 2}), Dtype::float32, 255.0},
                              Field{to_array<std::int32_t>({4, 5}, {2})}}};
  const Arrays example = dataset.get(1);
  CHECK(example[0].shape() == Shape{1, 2});
  CHECK(to_vector<float>(example[0]) == std::vector<float>{0.4f, 1.0f});
  CHECK(example[1].shape() == Shape{});
  CHECK(to_vector<std::int32_t>(example[1]) == std::vector<std::int32_t>{5});
}

TEST_CASE("halves are converted through float32") {
  const TupleDataset dataset{{Field{to_array<Float16>({Float16{1.5f}, Float16{-2.0f}}, {2}), Dtype::float32},
                              Field{to_array<float>({1.0f, 3.25f}, {2}), Dtype::bfloat16}}};
  const std::vector<std::int64_t> rows{1, 0};
  const Arrays batch = dataset.gather(rows);
  CHECK(to_vector<float>(batch[0]) == std::vector<float>{-2.0f, 1.5f});
  CHECK(to_vector<float>(cast(batch[1], Dtype::float32)) == std::vector<float>{3.25f, 1.0f});
}

TEST_CASE("an empty batch has extent 0") {
  const TupleDataset dataset{{Field{to_array<float>({1, 2}, {1, 2})}}};
  CHECK(dataset.gather({})[0].shape() == Shape{0, 2});
}

TEST_CASE("copies and slices share memory") {
  const TupleDataset dataset{{Field{to_array<float>({1, 2, 3}, {3})}}};
  const TupleDataset tail = dataset.slice(1, 3);
  CHECK(tail.size() == 2);
  CHECK(tail.fields()[0].array.data<float>() == dataset.fields()[0].array.data<float>() + 1);
  CHECK_THROWS_AS(dataset.slice(2, 4), ShapeError);
}

TEST_CASE("fields of different length are refused with both shapes") {
  CHECK_THROWS_WITH(
      (TupleDataset{{Field{to_array<float>({1, 2, 3, 4}, {2, 2})}, Field{to_array<float>({1, 2, 3}, {3})}}}),
      Contains("(2, 2)") && Contains("(3,)") && Contains("field 1"));
  CHECK_THROWS_AS(TupleDataset{{}}, ValueError);
  CHECK_THROWS_AS((TupleDataset{{Field{to_array<float>({1}, {})}}}), ShapeError);
  CHECK_THROWS_AS((TupleDataset{{Field{to_array<std::uint8_t>({1}, {1}), Dtype::int32, 255.0}}}), DtypeError);
}

TEST_CASE("an index outside the data set is named with the size") {
  const TupleDataset dataset{{Field{to_array<float>({1, 2, 3}, {3})}}};
  const std::vector<std::int64_t> rows{0, 3};
  CHECK_THROWS_WITH(dataset.gather(rows), Contains("3") && Contains("has 3 examples"));
  CHECK_THROWS_AS(dataset.get(-1), ValueError);
}
