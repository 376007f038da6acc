#include <renkei/lib/core/philox.h>
#include <renkei/lib/core/random.h>

#include <catch2/catch.hpp>

using namespace renkei;

// Known answers published with the generator (Random123, kat_vectors, philox4x32 10 rounds).
TEST_CASE("philox gives the published words") {
  CHECK(philox(0, 0, 0) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(philox(ones, ones, ones) == PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform values stay below one and normal values are finite at the edges") {
  CHECK(uniform_from(0) == 0.0f);
  CHECK(uniform_from(0xffffffff) < 1.0f);
  for (const std::uint32_t word : {0u, 0xffffffffu}) {
    CHECK(std::isfinite(normal_from(word, word)[0]));
    CHECK(below(10, word, word) < 10);
  }
}

TEST_CASE("normal values have mean 0 and variance 1") {
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const PhiloxBlock words = philox(7, 1, static_cast<std::uint64_t>(i));
    for (const double value : normal_from(words[0], words[1])) {
      sum += value;
      squares += value * value;
    }
  }
  CHECK(std::abs(sum / (2 * n)) < 0.01);
  CHECK(std::abs(squares / (2 * n) - 1.0) < 0.01);
}

TEST_CASE("a generator restarts from its seed and stream") {
  RandomGenerator generator{5};
  CHECK(generator.take_stream() == 0);
  CHECK(generator.take_stream() == 1);
  generator.reset(5, 1);
  CHECK(generator.seed() == 5);
  CHECK(generator.take_stream() == 1);
}
