#include <catch2/catch.hpp>

#include <set>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/scatter.h>
#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("windows of equal length overlap, and cover everything") {
  const std::vector<Window> expected{{0, 3}, {2, 5}, {5, 8}, {7, 10}};
  for (std::int64_t rank = 0; rank < 4; ++rank)
    CHECK(scatter_index(10, rank, 4) == expected[static_cast<std::size_t>(rank)]);
}

TEST_CASE("windows without overlap give the rest to the first ranks") {
  const std::vector<Window> expected{{0, 3}, {3, 6}, {6, 8}, {8, 10}};
  for (std::int64_t rank = 0; rank < 4; ++rank)
    CHECK(scatter_index(10, rank, 4, false) == expected[static_cast<std::size_t>(rank)]);
}

TEST_CASE("every example has an owner, exactly one without overlap, for all small sizes") {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t world = 1; world <= 7; ++world)
      for (const bool equal : {true, false}) {
        std::multiset<std::int64_t> owned;
        for (std::int64_t rank = 0; rank < world; ++rank) {
          const Window window = scatter_index(n, rank, world, equal);
          REQUIRE(window.begin <= window.end);
          REQUIRE(window.end <= n);
          if (equal) REQUIRE(window.end - window.begin == (n + world - 1) / world);
          for (std::int64_t i = window.begin; i < window.end; ++i) owned.insert(i);
        }
        for (std::int64_t i = 0; i < n; ++i) REQUIRE(owned.count(i) >= 1);
        if (!equal) REQUIRE(static_cast<std::int64_t>(owned.size()) == n);
      }
}

TEST_CASE("large products do not overflow") {
  const std::int64_t n = (std::int64_t{1} << 60) + 5, world = std::int64_t{1} << 20;
  CHECK(scatter_index(n, world - 1, world, false).end == n);
  CHECK(scatter_index(n, world - 1, world).end == n);
}

TEST_CASE("a rank's part of a data set follows the common order") {
  const TupleDataset dataset{{Field{to_array<float>({0, 1, 2, 3, 4}, {5})}}};
  const SubDataset part = scatter_dataset(dataset, 1, 2, {.force_equal_length = false, .order = {4, 3, 2, 1, 0}});
  CHECK(part.size() == 2);
  CHECK(part.original_index(0) == 1);
  CHECK(scatter_dataset(dataset, 4, 6, {.force_equal_length = false}).size() == 1);
  CHECK(scatter_dataset(dataset, 5, 6, {.force_equal_length = false}).size() == 0);
}

TEST_CASE("PyTorch's rule goes round, fills up from the front or cuts") {
  CHECK(distributed_order(5, 1, 2) == Order{1, 3, 0});
  CHECK(distributed_order(5, 1, 2, true) == Order{1, 3});
  CHECK(distributed_order(2, 4, 5) == Order{0});
  CHECK(distributed_order(2, 4, 5, true).empty());
  CHECK(distributed_order(0, 0, 3).empty());
}

TEST_CASE("ranks outside the world are refused") {
  check_error<ValueError>([] { scatter_index(10, 4, 4); }, {"rank: got 4", "0 to 3"});
  check_error<ValueError>([] { scatter_index(10, -1, 4); }, {"rank: got -1"});
  check_error<ValueError>([] { scatter_index(10, 0, 0); }, {"world: got 0"});
  check_error<ValueError>([] { distributed_order(-1, 0, 1); }, {"got -1"});
}
