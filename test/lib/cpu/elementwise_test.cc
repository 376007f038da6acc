#include <renkei/lib/kernels/elementwise.h>

#include <renkei/lib/cpu/cpu_device.h>
#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;

namespace {

template <class Op>
Array binary(const Op& op, const Array& a, const Array& b) {
  const Array y = empty(broadcast_shapes("test", a.shape(), b.shape()), a.dtype());
  y.device().kernel<kernels::Binary<Op>>()(op, a, b, y);
  return y;
}

/// Element i is i.
Array counting(const Shape& shape) {
  std::vector<float> elements(static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  return to_array(elements, shape);
}

/// a - b by the definition of broadcasting, one element at a time.
std::vector<float> difference(const Array& a, const Array& b) {
  const Shape shape = broadcast_shapes("test", a.shape(), b.shape());
  const auto pick = [&](const Array& x, std::int64_t flat) {
    std::int64_t offset = 0, stride = 1;
    for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
      const int own = axis - (shape.ndim() - x.ndim());
      const std::int64_t position = flat % shape[axis];
      flat /= shape[axis];
      if (own < 0) continue;
      offset += (x.shape()[own] == 1 ? 0 : position) * stride;
      stride *= x.shape()[own];
    }
    return x.data<float>()[offset];
  };
  std::vector<float> result;
  for (std::int64_t i = 0; i < shape.size(); ++i) result.push_back(pick(a, i) - pick(b, i));
  return result;
}

}  // namespace

TEST_CASE("two operands broadcast against each other in every way") {
  const std::vector<Shape> shapes{{2, 3, 4}, {3, 4}, {4}, {}, {1}, {3, 1}, {2, 1, 4}, {1, 3, 1}, {2, 1, 1}};
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) {
      INFO(a.to_string() << " and " << b.to_string());
      CHECK(to_vector<float>(binary(kernels::Subtract{}, counting(a), counting(b))) == difference(counting(a), counting(b)));
    }
}

TEST_CASE("empty arrays stay empty") {
  CHECK(binary(kernels::Add{}, zeros({0, 3}, Dtype::float32), zeros({3}, Dtype::float32)).shape() == Shape{0, 3});
}

TEST_CASE("results do not depend on the number of threads") {
  auto& device = cpu::device_of(zeros({1}, Dtype::float32));
  const int before = device.threads();
  const Array a = counting({300, 700}), b = counting({700});
  device.set_threads(1);
  const auto alone = to_vector<float>(binary(kernels::Multiply{}, a, b));
  device.set_threads(3);
  CHECK(to_vector<float>(binary(kernels::Multiply{}, a, b)) == alone);
  device.set_threads(before);
}

TEST_CASE("integers have no element-wise arithmetic and say so") {
  const Array x = zeros({2}, Dtype::int32);
  renkei::test::check_error<DtypeError>([&] { x.device().kernel<kernels::Unary<kernels::Exp>>()({}, x, x); }, {"exp", "int32"});
}
