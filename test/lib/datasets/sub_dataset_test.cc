#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <type_traits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/sub_dataset.h>
#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

TupleDataset numbers(std::int64_t n) {
  std::vector<float> elements;
  for (std::int64_t i = 0; i < n; ++i) elements.push_back(static_cast<float>(i));
  return TupleDataset{{Field{to_array(elements, {n})}}};
}

std::vector<float> all(const Dataset& dataset) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < dataset.size(); ++i) indices.push_back(i);
  return to_vector<float>(dataset.gather(indices)[0]);
}

}  // namespace

TEST_CASE("a window shows its part of the data set") {
  const TupleDataset base = numbers(6);
  const SubDataset window{base, 2, 5};
  CHECK(window.size() == 3);
  CHECK(all(window) == std::vector<float>{2, 3, 4});
  CHECK(to_vector<float>(window.get(2)[0]) == std::vector<float>{4});
  CHECK_THROWS_AS(window.get(3), ValueError);
}

TEST_CASE("a window cuts a given order") {
  const TupleDataset base = numbers(4);
  const SubDataset window{base, 1, 3, {3, 2, 0, 1}};
  CHECK(all(window) == std::vector<float>{2, 0});
  CHECK(window.original_index(0) == 2);
}

TEST_CASE("windows nest") {
  const TupleDataset base = numbers(10);
  const SubDataset outer{base, 2, 8};
  const SubDataset inner{outer, 1, 3};
  CHECK(all(inner) == std::vector<float>{3, 4});
}

TEST_CASE("windows and orders that do not fit are refused") {
  const TupleDataset base = numbers(4);
  CHECK_THROWS_WITH((SubDataset{base, 2, 5}), Contains("[2, 5)") && Contains("[0, 4)"));
  CHECK_THROWS_AS((SubDataset{base, 3, 2}), ValueError);
  CHECK_THROWS_AS((SubDataset{base, -1, 2}), ValueError);
  CHECK_THROWS_WITH((SubDataset{base, 0, 4, {0, 1}}), Contains("got 2") && Contains("4"));
  CHECK_THROWS_WITH((SubDataset{base, 0, 4, {0, 1, 2, 4}}), Contains("got 4"));
}

TEST_CASE("split_dataset cuts in two without loss") {
  const TupleDataset base = numbers(5);
  const auto [first, rest] = split_dataset(base, 2);
  CHECK(all(first) == std::vector<float>{0, 1});
  CHECK(all(rest) == std::vector<float>{2, 3, 4});
  CHECK(split_dataset(base, 0).first.size() == 0);
  CHECK(split_dataset(base, 5).second.size() == 0);
  CHECK_THROWS_AS(split_dataset(base, 6), ValueError);
  CHECK_THROWS_AS(split_dataset(base, -1), ValueError);
}

TEST_CASE("split_dataset_random gives each example once, and the same split for the same seed") {
  const TupleDataset base = numbers(100);
  const auto [first, rest] = split_dataset_random(base, 30, 1);
  CHECK(first.size() == 30);
  std::vector<float> both = all(first), tail = all(rest);
  both.insert(both.end(), tail.begin(), tail.end());
  CHECK_FALSE(std::is_sorted(both.begin(), both.end()));
  CHECK(both == [&] {
    const auto again = split_dataset_random(base, 30, 1);
    std::vector<float> elements = all(again.first), rest = all(again.second);
    elements.insert(elements.end(), rest.begin(), rest.end());
    return elements;
  }());
  CHECK(all(split_dataset_random(base, 30, 2).first) != all(first));
  std::sort(both.begin(), both.end());
  CHECK(both == all(base));
}

TEST_CASE("a data set that would not outlive its window does not compile") {
  CHECK_FALSE(std::is_constructible_v<SubDataset, TupleDataset, std::int64_t, std::int64_t>);
  CHECK(std::is_constructible_v<SubDataset, const TupleDataset&, std::int64_t, std::int64_t>);
}

TEST_CASE("shuffled orders are permutations, equally likely in each place, and a function of seed and epoch") {
  CHECK(shuffled_order(0, 1, 0).empty());
  CHECK(shuffled_order(1, 1, 0) == Order{0});
  CHECK(shuffled_order(50, 1, 2) == shuffled_order(50, 1, 2));
  CHECK(shuffled_order(50, 1, 2) != shuffled_order(50, 1, 3));
  CHECK(shuffled_order(50, 1, 2) != shuffled_order(50, 2, 2));
  // 24 orders of four, 24000 draws: each count is 1000 +- 31 (one standard deviation).
  std::map<Order, int> counts;
  for (std::uint64_t epoch = 0; epoch < 24000; ++epoch) ++counts[shuffled_order(4, 7, epoch)];
  CHECK(counts.size() == 24);
  for (const auto& [order, count] : counts) {
    CHECK(count > 1000 - 5 * 31);
    CHECK(count < 1000 + 5 * 31);
  }
}
