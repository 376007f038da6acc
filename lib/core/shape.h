// Shape: the extents of a row-major array. A small value without heap memory, cheap to copy.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace renkei {

/// Axis numbers; negative ones count from the end. An empty list means "all axes" where a reduction takes one.
using Axes = std::vector<int>;

class Shape {
 public:
  static constexpr int kMaxDims = 8;

  Shape() = default;  ///< (): the shape of a scalar, size 1
  Shape(std::initializer_list<std::int64_t> dims) : Shape{std::span{dims.begin(), dims.size()}} {}
  explicit Shape(std::span<const std::int64_t> dims);  ///< throws ValueError beyond 8 axes or below 0

  int ndim() const { return ndim_; }
  std::int64_t size() const;  ///< product of the extents
  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  const std::int64_t* begin() const { return dims_.data(); }
  const std::int64_t* end() const { return dims_.data() + ndim_; }
  std::int64_t back() const { return dims_[static_cast<std::size_t>(ndim_ - 1)]; }

  bool operator==(const Shape& other) const;

  Shape with(int axis, std::int64_t extent) const;          ///< copy with one extent replaced
  Shape without(int axis) const;                            ///< copy with one axis removed
  Shape inserted(int axis, std::int64_t extent) const;      ///< copy with one axis put before `axis`
  std::int64_t product(int first, int last) const;          ///< product over axes [first, last)
  std::string to_string() const;                            ///< (2, 3), (4,), ()

 private:
  std::array<std::int64_t, kMaxDims> dims_{};
  int ndim_ = 0;
};

/// Extents of `a op b` under NumPy's rule: aligned at the end, 1 stretches. Throws ShapeError naming both.
Shape broadcast_shapes(std::string_view where, const Shape& a, const Shape& b);

/// `axis` counted from the front; throws ValueError when it is outside [-ndim, ndim).
int normalize_axis(std::string_view where, int axis, int ndim);

/// Sorted, unique axes counted from the front; empty input gives all axes.
Axes normalize_axes(std::string_view where, const Axes& axes, int ndim);

/// Shape after reducing over normalized `axes`.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims);

}  // namespace renkei
