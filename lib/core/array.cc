#include <renkei/lib/core/array.h>

#include <renkei/lib/core/error.h>

namespace renkei {

Array Array::reshape(const Shape& shape) const {
  if (shape.size() != size())
    throw ShapeError{"reshape", {{"x", shape_}, {"shape", shape}}, "shapes of equal size"};
  Array view = *this;
  view.shape_ = shape;
  return view;
}

Array Array::slice(std::int64_t begin, std::int64_t end) const {
  if (ndim() == 0 || begin < 0 || begin > end || end > shape_[0])
    throw ShapeError{"slice", {{"x", shape_}, {"rows", Shape{std::max<std::int64_t>(begin, 0), std::max<std::int64_t>(end, 0)}}},
                     "rows inside the first axis"};
  Array view = *this;
  view.shape_ = shape_.with(0, end - begin);
  view.offset_ += begin * shape_.product(1, ndim()) * size_of(dtype_);
  return view;
}

bool Array::is(const Array& other) const {
  return storage_ == other.storage_ && offset_ == other.offset_ && shape_ == other.shape_ && dtype_ == other.dtype_;
}

void Array::throw_wrong_type(Dtype asked) const {
  throw DtypeError{"data", {{"array", dtype_}, {"asked", asked}}, "the array's own type"};
}

}  // namespace renkei
