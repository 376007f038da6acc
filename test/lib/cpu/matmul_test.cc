#include <renkei/lib/kernels/matmul.h>

#include <cmath>
#include <limits>
#include <thread>

#include <catch2/catch.hpp>

#include <renkei/lib/core/philox.h>
#include <renkei/lib/cpu/cpu_device.h>
#include <renkei/lib/device/creation.h>

using namespace renkei;

namespace {

template <class T>
Array random_array(const Shape& shape, std::uint64_t stream) {
  std::vector<T> elements(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(uniform_from(philox(1, stream, i)[0]) - 0.5f);
  return to_array(elements, shape);
}

template <class T>
double worst_error(const Array& a, bool transa, const Array& b, bool transb, const Array& bias, const Array& y) {
  const std::int64_t m = y.shape()[0], n = y.shape()[1], k = a.shape()[transa ? 0 : 1];
  double worst = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = bias ? static_cast<double>(bias.data<T>()[j]) : 0.0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += static_cast<double>(a.data<T>()[transa ? p * m + i : i * k + p]) *
               static_cast<double>(b.data<T>()[transb ? j * k + p : p * n + j]);
      worst = std::max(worst, std::abs(sum - static_cast<double>(y.data<T>()[i * n + j])));
    }
  return worst;
}

template <class T>
void check_products(double tolerance) {
  // Small, odd and vectorizable sizes: every path of the engine.
  for (const auto& [m, n, k] : {std::array{1, 1, 1}, {10, 32, 784}, {7, 5, 3}, {100, 10, 1000}, {100, 200, 300}, {33, 1, 65}})
    for (const bool transa : {false, true})
      for (const bool transb : {false, true}) {
        INFO("m " << m << " n " << n << " k " << k << " transposed " << transa << transb);
        const Array a = random_array<T>(transa ? Shape{k, m} : Shape{m, k}, 1);
        const Array b = random_array<T>(transb ? Shape{n, k} : Shape{k, n}, 2);
        const Array y = full({m, n}, std::numeric_limits<double>::quiet_NaN(), dtype_of<T>);  // must be overwritten
        y.device().kernel<kernels::MatMul>()(a, transa, b, transb, y);
        CHECK(worst_error<T>(a, transa, b, transb, {}, y) < tolerance);
        if (!transa && transb) {
          const Array bias = random_array<T>({n}, 3);
          y.device().kernel<kernels::LinearForward>()(a, b, bias, y);
          CHECK(worst_error<T>(a, false, b, true, bias, y) < tolerance);
        }
      }
}

}  // namespace

TEST_CASE("products are right in float32, on one thread and on several") {
  auto& device = cpu::device_of(zeros({1}, Dtype::float32));
  const int before = device.threads();
  for (const int threads : {1, 2}) {
    device.set_threads(threads);
    check_products<float>(2e-5);
  }
  device.set_threads(before);
}

TEST_CASE("products are right in float64") { check_products<double>(1e-12); }

TEST_CASE("a product over nothing is zero and an empty product is empty") {
  const Array y = full({2, 3}, 7, Dtype::float32);
  y.device().kernel<kernels::MatMul>()(zeros({2, 0}, Dtype::float32), false, zeros({0, 3}, Dtype::float32), false, y);
  CHECK(to_vector<float>(y) == std::vector<float>(6, 0.0f));
  const Array none = zeros({0, 3}, Dtype::float32);
  none.device().kernel<kernels::MatMul>()(zeros({0, 4}, Dtype::float32), false, zeros({4, 3}, Dtype::float32), false, none);
}

TEST_CASE("a stack of matrices is multiplied pair by pair") {
  for (const auto& [m, k, n] : {std::array{4, 5, 2}, {120, 100, 90}})  // below and above the size for primitives
    for (const bool transb : {false, true}) {
      const Array a = random_array<float>({3, m, k}, 1), y = zeros({3, m, n}, Dtype::float32);
      const Array b = random_array<float>(transb ? Shape{3, n, k} : Shape{3, k, n}, 2);
      y.device().kernel<kernels::MatMul>()(a, false, b, transb, y);
      for (std::int64_t i = 0; i < 3; ++i)
        CHECK(worst_error<float>(a.slice(i, i + 1).reshape({m, k}), false,
                                 b.slice(i, i + 1).reshape(transb ? Shape{n, k} : Shape{k, n}), transb, {},
                                 y.slice(i, i + 1).reshape({m, n})) < 2e-5);
    }
}

TEST_CASE("products run from several host threads at once") {
  const Array a = random_array<float>({120, 100}, 1), b = random_array<float>({100, 90}, 2);
  std::vector<Array> results;
  for (int t = 0; t < 4; ++t) results.push_back(zeros({120, 90}, Dtype::float32));
  std::vector<std::thread> threads;
  for (const Array& y : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) y.device().kernel<kernels::MatMul>()(a, false, b, false, y);
    });
  for (auto& thread : threads) thread.join();
  for (const Array& y : results) CHECK(to_vector<float>(y) == to_vector<float>(results[0]));
}
