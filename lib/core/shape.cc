#include <renkei/lib/core/shape.h>

#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {

Shape::Shape(std::span<const std::int64_t> dims) {
  if (dims.size() > kMaxDims) throw ValueError{"shape: number of axes", dims.size(), "at most 8"};
  for (const std::int64_t dim : dims) {
    if (dim < 0) throw ValueError{"shape: extent", dim, "at least 0"};
    dims_[static_cast<std::size_t>(ndim_++)] = dim;
  }
}

std::int64_t Shape::size() const { return product(0, ndim_); }

std::int64_t Shape::product(int first, int last) const {
  std::int64_t size = 1;
  for (int axis = first; axis < last; ++axis) size *= (*this)[axis];
  return size;
}

bool Shape::operator==(const Shape& other) const {
  return ndim_ == other.ndim_ && std::equal(begin(), end(), other.begin());
}

Shape Shape::with(int axis, std::int64_t extent) const {
  Shape result = *this;
  result.dims_[static_cast<std::size_t>(axis)] = extent;
  return result;
}

Shape Shape::without(int axis) const {
  std::vector<std::int64_t> dims{begin(), end()};
  dims.erase(dims.begin() + axis);
  return Shape{std::span{dims}};
}

Shape Shape::inserted(int axis, std::int64_t extent) const {
  std::vector<std::int64_t> dims{begin(), end()};
  dims.insert(dims.begin() + axis, extent);
  return Shape{std::span{dims}};
}

std::string Shape::to_string() const {
  if (ndim_ == 1) return fmt::format("({},)", dims_[0]);
  return fmt::format("({})", fmt::join(begin(), end(), ", "));
}

Shape broadcast_shapes(std::string_view where, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.ndim() >= b.ndim() ? a : b;
  const Shape& shorter = a.ndim() >= b.ndim() ? b : a;
  const int lead = longer.ndim() - shorter.ndim();
  Shape result = longer;
  for (int axis = lead; axis < longer.ndim(); ++axis) {
    const std::int64_t l = longer[axis], s = shorter[axis - lead];
    if (l != s && l != 1 && s != 1)
      throw ShapeError{where, {{"a", a}, {"b", b}}, "shapes that broadcast: equal from the end, or 1"};
    result = result.with(axis, l == 1 ? s : l);
  }
  return result;
}

int normalize_axis(std::string_view where, int axis, int ndim) {
  if (axis < -ndim || axis >= ndim)
    throw ValueError{fmt::format("{}: axis", where), axis, fmt::format("an axis of an array with {} axes", ndim)};
  return axis < 0 ? axis + ndim : axis;
}

Axes normalize_axes(std::string_view where, const Axes& axes, int ndim) {
  Axes result;
  if (axes.empty()) {
    for (int axis = 0; axis < ndim; ++axis) result.push_back(axis);
    return result;
  }
  for (const int axis : axes) result.push_back(normalize_axis(where, axis, ndim));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    throw ValueError{fmt::format("{}: axes", where), fmt::format("{}", fmt::join(axes, ", ")), "each axis once"};
  return result;
}

Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims) {
  std::vector<std::int64_t> dims;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!reduced) dims.push_back(shape[axis]);
    if (reduced && keepdims) dims.push_back(1);
  }
  return Shape{std::span{dims}};
}

}  // namespace renkei
