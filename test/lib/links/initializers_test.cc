#include <catch2/catch.hpp>

#include <cmath>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/core/philox.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/initializers.h>
#include <renkei/lib/links/linear.h>

using namespace renkei;
using namespace renkei::initializers;
using Catch::Matchers::Contains;

namespace {

std::vector<double> draw(const Initializer& initializer, const Shape& shape, Dtype dtype = Dtype::float64) {
  const Array array = empty(shape, dtype);
  initializer(array);
  return to_vector<double>(cast(array, Dtype::float64));
}

struct Statistics {
  double mean = 0, deviation = 0, kurtosis = 0, smallest = INFINITY, largest = -INFINITY;

  explicit Statistics(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double squares = 0, fourths = 0;
    for (const double value : values) {
      mean += value / n;
      squares += value * value / n;
      fourths += value * value * value * value / n;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
    deviation = std::sqrt(squares - mean * mean);
    kurtosis = fourths / (squares * squares);
  }
};

/// A normal distribution of that deviation: the fourth moment tells it from a uniform one.
void check_normal(const Initializer& initializer, const Shape& shape, double deviation) {
  const Statistics s{draw(initializer, shape)};
  CHECK(std::abs(s.mean) < 0.01 * deviation);
  CHECK(s.deviation == Approx(deviation).epsilon(0.01));
  CHECK(s.kurtosis == Approx(3.0).epsilon(0.02));
  CHECK(s.largest > 3.5 * deviation);
}

void check_uniform(const Initializer& initializer, const Shape& shape, double bound) {
  const Statistics s{draw(initializer, shape)};
  CHECK(std::abs(s.mean) < 0.01 * bound);
  CHECK(s.deviation == Approx(bound / std::sqrt(3.0)).epsilon(0.01));
  CHECK(s.kurtosis == Approx(1.8).epsilon(0.02));
  CHECK(s.smallest >= -bound);
  CHECK(s.largest <= bound);
  CHECK(s.largest > 0.999 * bound);
}

/// Largest deviation of rows (or columns) from an orthogonal system of vectors of length `scale`.
double orthogonality_error(const std::vector<double>& w, std::size_t out, std::size_t in, double scale) {
  const bool rows = out <= in;
  const std::size_t vectors = rows ? out : in, length = rows ? in : out;
  double worst = 0;
  for (std::size_t i = 0; i < vectors; ++i)
    for (std::size_t j = 0; j < vectors; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < length; ++k)
        dot += rows ? w[i * in + k] * w[j * in + k] : w[k * in + i] * w[k * in + j];
      worst = std::max(worst, std::abs(dot - (i == j ? scale * scale : 0.0)));
    }
  return worst;
}

}  // namespace

TEST_CASE("normal initializers have the deviation of their formula") {
  default_generator().reset(1);
  const Shape shape{200, 30, 5, 3};  // fan_in 450, fan_out 3000
  check_normal(Normal{}, shape, 0.05);
  check_normal(Normal{2.0}, shape, 2.0);
  check_normal(LeCunNormal{}, shape, std::sqrt(1.0 / 450));
  check_normal(LeCunNormal{3.0}, shape, 3 * std::sqrt(1.0 / 450));
  check_normal(GlorotNormal{}, shape, std::sqrt(2.0 / 3450));
  check_normal(HeNormal{}, shape, std::sqrt(2.0 / 450));
  check_normal(HeNormal{1.0, Fan::out}, shape, std::sqrt(2.0 / 3000));
}

TEST_CASE("uniform initializers have the bounds of their formula") {
  default_generator().reset(2);
  const Shape shape{200, 30, 5, 3};
  check_uniform(Uniform{}, shape, 0.05);
  check_uniform(LeCunUniform{}, shape, std::sqrt(3.0 / 450));
  check_uniform(GlorotUniform{2.0}, shape, 2 * std::sqrt(6.0 / 3450));
  check_uniform(HeUniform{}, shape, std::sqrt(6.0 / 450));
}

TEST_CASE("equal seeds give equal values, float32 is float64 rounded, streams differ") {
  const auto at_seed = [](std::uint64_t seed, const Initializer& initializer, Dtype dtype) {
    default_generator().reset(seed);
    return draw(initializer, {7, 9}, dtype);
  };
  for (const Initializer& initializer : {Initializer{Normal{}}, Initializer{Uniform{}}, Initializer{Orthogonal{}}}) {
    const auto wide = at_seed(5, initializer, Dtype::float64), narrow = at_seed(5, initializer, Dtype::float32);
    CHECK(wide == at_seed(5, initializer, Dtype::float64));
    CHECK(wide != at_seed(6, initializer, Dtype::float64));
    for (std::size_t i = 0; i < wide.size(); ++i) CHECK(narrow[i] == static_cast<double>(static_cast<float>(wide[i])));
    CHECK(draw(initializer, {7, 9}) != wide);
  }
}

TEST_CASE("normal values are those of Box and Muller from the words of the stream") {
  default_generator().reset(21, 5);
  const auto values = draw(Normal{1.0}, {10007});
  double worst = 0, magnitude = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const PhiloxBlock words = philox(21, 5, i / 4);
    const auto pair = i % 4 < 2 ? normal_from(words[0], words[1]) : normal_from(words[2], words[3]);
    worst = std::max(worst, std::abs(values[i] - pair[i % 2]));
    magnitude = std::max(magnitude, std::abs(values[i]));
  }
  CHECK(worst < 4e-15);
  CHECK(magnitude > 3.0);
}

TEST_CASE("an element does not depend on the size of the array") {
  default_generator().reset(4);
  const auto small = draw(Normal{}, {5});
  default_generator().reset(4);
  const auto large = draw(Normal{}, {1003});
  CHECK(std::equal(small.begin(), small.end(), large.begin()));
}

TEST_CASE("orthogonal systems") {
  default_generator().reset(3);
  CHECK(orthogonality_error(draw(Orthogonal{}, {6, 20}), 6, 20, 1.1) < 1e-12);
  CHECK(orthogonality_error(draw(Orthogonal{2.0}, {20, 6}), 20, 6, 2.0) < 1e-12);
  CHECK(orthogonality_error(draw(Orthogonal{}, {6, 3, 2, 1}), 6, 6, 1.1) < 1e-12);
  CHECK(std::abs(draw(Orthogonal{}, {})[0]) == Approx(1.1));
  CHECK_NOTHROW(draw(Orthogonal{1, OrthogonalMode::projection}, {3, 4}));
  CHECK_NOTHROW(draw(Orthogonal{1, OrthogonalMode::embedding}, {4, 3}));
  CHECK_NOTHROW(draw(Orthogonal{1, OrthogonalMode::basis}, {4, 2, 2}));
  CHECK_THROWS_WITH(draw(Orthogonal{1, OrthogonalMode::projection}, {4, 3}),
                    Contains("(4, 3)") && Contains("projection"));
  CHECK_THROWS_WITH(draw(Orthogonal{1, OrthogonalMode::embedding}, {3, 4}), Contains("(3, 4)"));
  CHECK_THROWS_WITH(draw(Orthogonal{1, OrthogonalMode::basis}, {3, 4}), Contains("(3, 4)"));
  CHECK_THROWS_AS(draw(Orthogonal{}, {0, 3}), ShapeError);
}

TEST_CASE("the signs of an orthogonal system are even") {
  default_generator().reset(7);
  int positive = 0;
  for (int i = 0; i < 400; ++i) positive += draw(Orthogonal{1.0}, {1, 1})[0] > 0 ? 1 : 0;
  CHECK(positive > 150);
  CHECK(positive < 250);
}

TEST_CASE("constants") {
  CHECK(draw(Zero{}, {2}) == std::vector<double>{0, 0});
  CHECK(draw(One{}, {2}) == std::vector<double>{1, 1});
  CHECK(draw(Constant{2.5}, {2}) == std::vector<double>{2.5, 2.5});
  CHECK(std::isnan(draw(initializers::NaN{}, {1})[0]));
  CHECK(draw(3.0, {2}) == std::vector<double>{3, 3});
  CHECK(draw(Identity{2.0}, {2, 2}) == std::vector<double>{2, 0, 0, 2});
  CHECK_THROWS_WITH(draw(Identity{}, {2, 3}), Contains("(2, 3)"));
  CHECK_THROWS_AS(draw(Identity{}, {2}), ShapeError);
}

TEST_CASE("values given as an array stretch to the shape of the parameter") {
  CHECK(draw(to_array<double>({1, 2, 3, 4}, {2, 2}), {2, 2}) == std::vector<double>{1, 2, 3, 4});
  CHECK(draw(to_array<float>({1, 2}, {2}), {3, 2}) == std::vector<double>{1, 2, 1, 2, 1, 2});
  CHECK(draw(to_array<float>({1, 2}, {2, 1}), {2, 3}) == std::vector<double>{1, 1, 1, 2, 2, 2});
  CHECK_THROWS_WITH(draw(to_array<float>({1, 2, 3}, {3}), {2, 2}), Contains("(3,)") && Contains("(2, 2)"));
  CHECK_THROWS_AS(draw(to_array<float>({1, 2}, {2, 1}), {2}), ShapeError);
}

TEST_CASE("fans need two axes and say which shape they got") {
  CHECK_THROWS_WITH(draw(LeCunNormal{}, {5}), Contains("(5,)"));
  CHECK_THROWS_AS(draw(HeUniform{}, {}), ShapeError);
  struct Wrong : Chain {
    Parameter gamma{*this, "gamma", GlorotNormal{}, {5}};
  };
  CHECK_THROWS_WITH(Wrong{}, Contains("gamma") && Contains("(5,)"));
}

TEST_CASE("interpolation kernels") {
  // k = 4: factor 2, triangle 0.25 0.75 0.75 0.25
  const auto up = draw(UpsamplingDeconvFilter{}, {2, 2, 4, 4});
  CHECK(up[0] == Approx(0.0625));
  CHECK(up[5] == Approx(0.5625));
  CHECK(up[16] == 0.0);       // channel 0 to 1
  CHECK(up[48 + 5] == Approx(0.5625));
  const auto single = draw(UpsamplingDeconvFilter{}, {2, 1, 3});  // k = 3: 0.5 1 0.5 for each channel
  CHECK(single == std::vector<double>{0.5, 1, 0.5, 0.5, 1, 0.5});
  double sum = 0;
  for (const double value : draw(DownsamplingConvFilter{}, {1, 1, 5, 5})) sum += value;
  CHECK(sum == Approx(1.0));
  CHECK_THROWS_WITH(draw(UpsamplingDeconvFilter{}, {2, 3, 4, 4}), Contains("(2, 3, 4, 4)"));
  CHECK_THROWS_AS(draw(UpsamplingDeconvFilter{}, {2, 2, 4, 3}), ShapeError);
  CHECK_THROWS_AS(draw(DownsamplingConvFilter{}, {2, 2}), ShapeError);
}

TEST_CASE("layers take initializers, numbers and arrays, and the dtype of the configuration") {
  links::Linear layer{2, 3, {.initialW = 0.5, .initial_bias = to_array<float>({1, 2, 3}, {3})}};
  CHECK(to_vector<float>(layer.W.data()) == std::vector<float>(6, 0.5f));
  CHECK(to_vector<float>(layer.b.data()) == std::vector<float>{1, 2, 3});
  default_generator().reset(1);
  links::Linear usual{100, 200};
  CHECK(Statistics{to_vector<double>(cast(usual.W.data(), Dtype::float64))}.deviation == Approx(0.1).epsilon(0.02));
  CHECK(to_vector<float>(usual.b.data()) == std::vector<float>(200, 0.0f));
  config().dtype = Dtype::float64;
  links::Linear wide{2, 3};
  config().dtype = Dtype::float32;
  CHECK(wide.W.dtype() == Dtype::float64);
}

TEST_CASE("sizes of a layer are checked") {
  CHECK_THROWS_WITH((links::Linear{0}), Contains("out_size") && Contains("got 0"));
  CHECK_THROWS_WITH((links::Linear{-1, 3}), Contains("in_size") && Contains("got -1"));
  CHECK_THROWS_WITH((links::Linear{2, 3, {.n_batch_axes = 0}}), Contains("n_batch_axes"));
}
