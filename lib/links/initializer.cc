#include <renkei/lib/links/initializer.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

/// Index into `source` of element i of an array of shape `target`, when source is stretched to it.
std::int64_t stretched_index(std::int64_t i, const Shape& target, const Shape& source) {
  std::int64_t index = 0, stride = 1;
  for (int axis = target.ndim() - 1; axis >= target.ndim() - source.ndim(); --axis) {
    const std::int64_t extent = source[axis - target.ndim() + source.ndim()];
    index += extent == 1 ? 0 : i % target[axis] * stride;
    stride *= extent;
    i /= target[axis];
  }
  return index;
}

void broadcast_into(const Array& array, const Array& values) {
  if (array.shape() == values.shape()) {
    return copy_into(array, to_device(cast(values, array.dtype()), array.device()));
  }
  if (broadcast_shapes("initial values", values.shape(), array.shape()) != array.shape())
    throw ShapeError{"initial values", {{"values", values.shape()}, {"parameter", array.shape()}}, "values that fit"};
  visit_float("initial values", array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::vector<T> source = to_vector<T>(cast(values, array.dtype()));
    std::vector<T> target(static_cast<std::size_t>(array.size()));
    for (std::size_t i = 0; i < target.size(); ++i) {
      const std::int64_t at = stretched_index(static_cast<std::int64_t>(i), array.shape(), values.shape());
      target[i] = source[static_cast<std::size_t>(at)];
    }
    copy_into(array, to_array(target, array.shape(), array.device()));
  });
}

}  // namespace

Initializer::Initializer(double constant) : fill_{[constant](const Array& array) { fill(array, constant); }} {}

Initializer::Initializer(const Array& values)
    : fill_{[values](const Array& array) { broadcast_into(array, values); }} {}

}  // namespace renkei
