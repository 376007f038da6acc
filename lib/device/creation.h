// Making arrays and moving them between devices and the host.
#pragma once

#include <span>
#include <vector>

#include <renkei/lib/core/array.h>
#include <renkei/lib/device/device.h>

namespace renkei {

Array empty(const Shape& shape, Dtype dtype, Device& device = current_device());  ///< uninitialised
Array zeros(const Shape& shape, Dtype dtype, Device& device = current_device());
Array full(const Shape& shape, double value, Dtype dtype, Device& device = current_device());
Array empty_like(const Array& array);
Array zeros_like(const Array& array);
Array full_like(const Array& array, double value);

/// Copies host elements; throws ShapeError when their number is not shape.size().
template <class T>
Array to_array(std::span<const T> elements, const Shape& shape, Device& device = current_device());
template <class T>
Array to_array(const std::vector<T>& elements, const Shape& shape, Device& device = current_device()) {
  return to_array(std::span<const T>{elements}, shape, device);
}
template <class T>
Array to_array(std::initializer_list<T> elements, const Shape& shape, Device& device = current_device()) {
  return to_array(std::span<const T>{elements.begin(), elements.size()}, shape, device);
}

/// The elements on the host, in row-major order; throws DtypeError if T is not the array's type.
template <class T>
std::vector<T> to_vector(const Array& array);

/// The element of an array of size 1 of any dtype. Waits for the device.
double to_double(const Array& array);

/// A new array with the same elements on the same device.
Array copy(const Array& array);

/// Overwrites the elements of `target`; shapes and dtypes are equal, devices may differ.
void copy_into(const Array& target, const Array& source);

/// The array itself if it is on `device` already, else a copy there.
Array to_device(const Array& array, Device& device);

/// Elements converted to another type; the array itself if it has that type.
Array cast(const Array& array, Dtype dtype);

void fill(const Array& array, double value);

}  // namespace renkei
