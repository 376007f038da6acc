#include <renkei/lib/device/creation.h>

#include <cstring>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/memory.h>

namespace renkei {

Array empty(const Shape& shape, Dtype dtype, Device& device) {
  return Array{device.allocate(static_cast<std::size_t>(shape.size() * size_of(dtype))), shape, dtype};
}

Array zeros(const Shape& shape, Dtype dtype, Device& device) { return full(shape, 0.0, dtype, device); }

Array full(const Shape& shape, double value, Dtype dtype, Device& device) {
  Array array = empty(shape, dtype, device);
  fill(array, value);
  return array;
}

Array empty_like(const Array& array) { return empty(array.shape(), array.dtype(), array.device()); }
Array zeros_like(const Array& array) { return full_like(array, 0.0); }
Array full_like(const Array& array, double value) {
  return full(array.shape(), value, array.dtype(), array.device());
}

template <class T>
Array to_array(std::span<const T> elements, const Shape& shape, Device& device) {
  const auto count = static_cast<std::int64_t>(elements.size());
  if (count != shape.size()) throw ShapeError{"to_array", {{"elements", Shape{count}}, {"shape", shape}}, "equal sizes"};
  Array array = empty(shape, dtype_of<T>, device);
  device.copy_from_host(array.raw_data(), reinterpret_cast<const std::byte*>(elements.data()), elements.size_bytes());
  return array;
}

template <class T>
std::vector<T> to_vector(const Array& array) {
  const T* data = array.data<T>();
  // Through a plain buffer: std::vector<bool> has no elements to copy into.
  const auto count = static_cast<std::size_t>(array.size());
  const auto buffer = std::make_unique<T[]>(count);
  array.device().copy_to_host(reinterpret_cast<std::byte*>(buffer.get()), reinterpret_cast<const std::byte*>(data),
                              count * sizeof(T));
  return std::vector<T>(buffer.get(), buffer.get() + count);
}

#define RENKEI_INSTANTIATE(T)                                                 \
  template Array to_array<T>(std::span<const T>, const Shape&, Device&);      \
  template std::vector<T> to_vector<T>(const Array&);
RENKEI_INSTANTIATE(float)
RENKEI_INSTANTIATE(double)
RENKEI_INSTANTIATE(Float16)
RENKEI_INSTANTIATE(BFloat16)
RENKEI_INSTANTIATE(std::int32_t)
RENKEI_INSTANTIATE(std::int64_t)
RENKEI_INSTANTIATE(std::uint8_t)
RENKEI_INSTANTIATE(bool)
#undef RENKEI_INSTANTIATE

double to_double(const Array& array) {
  if (array.size() != 1) throw ShapeError{"to_double", {{"x", array.shape()}}, "an array of one element"};
  return visit_dtype(array.dtype(), [&](auto tag) {
    typename decltype(tag)::type element{};
    array.device().copy_to_host(reinterpret_cast<std::byte*>(&element), array.raw_data(), sizeof element);
    return static_cast<double>(element);
  });
}

Array copy(const Array& array) {
  Array result = empty_like(array);
  copy_into(result, array);
  return result;
}

void copy_into(const Array& target, const Array& source) {
  if (target.shape() != source.shape())
    throw ShapeError{"copy", {{"target", target.shape()}, {"source", source.shape()}}, "equal shapes"};
  if (target.dtype() != source.dtype())
    throw DtypeError{"copy", {{"target", target.dtype()}, {"source", source.dtype()}}, "equal dtypes"};
  const auto bytes = static_cast<std::size_t>(source.bytes());
  if (bytes == 0) return;
  if (&target.device() == &source.device()) return target.device().kernel<kernels::Copy>()(source, target);
  if (source.device().is_host()) return target.device().copy_from_host(target.raw_data(), source.raw_data(), bytes);
  if (target.device().is_host()) return source.device().copy_to_host(target.raw_data(), source.raw_data(), bytes);
  const auto staging = std::make_unique<std::byte[]>(bytes);
  source.device().copy_to_host(staging.get(), source.raw_data(), bytes);
  target.device().copy_from_host(target.raw_data(), staging.get(), bytes);
}

Array to_device(const Array& array, Device& device) {
  if (!array || &array.device() == &device) return array;
  Array result = empty(array.shape(), array.dtype(), device);
  copy_into(result, array);
  return result;
}

Array cast(const Array& array, Dtype dtype) {
  if (array.dtype() == dtype) return array;
  Array result = empty(array.shape(), dtype, array.device());
  if (array.size() > 0) array.device().kernel<kernels::Cast>()(array, result);
  return result;
}

void fill(const Array& array, double value) {
  if (array.size() > 0) array.device().kernel<kernels::Fill>()(array, value);
}

}  // namespace renkei
