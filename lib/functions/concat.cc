// Joining and cutting along an axis: the gradients of each other.
#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/strided.h>

namespace renkei::functions {
namespace {

/// Entries from `begin` on along `axis` of an array of shape `whole`.
kernels::StridedPart part_of(const Shape& whole, int axis, std::int64_t begin) {
  kernels::StridedPart part{0, row_major_strides(whole)};
  part.offset = begin * part.strides[static_cast<std::size_t>(axis)];
  return part;
}

/// Extents of the parts along the axis, in order.
using Extents = std::vector<std::int64_t>;

class SplitAxis;

class Concat final : public FunctionNode {
 public:
  explicit Concat(int axis) : axis_{axis} {}
  std::string_view name() const override { return "concat"; }
  Arrays forward(const Arrays& xs) override;
  Variables backward(const Variables& gy, const GradRequest&) override;

 private:
  int axis_;
  Extents extents_;
};

class SplitAxis final : public FunctionNode {
 public:
  SplitAxis(int axis, Extents extents) : axis_{axis}, extents_{std::move(extents)} {}
  std::string_view name() const override { return "split_axis"; }
  Arrays forward(const Arrays& x) override;
  Variables backward(const Variables& gy, const GradRequest&) override;

 private:
  int axis_;
  Extents extents_;
  Shape shape_;
  Dtype dtype_{};
  Device* device_ = nullptr;
};

Arrays Concat::forward(const Arrays& xs) {
  const Array& first = xs[0];
  axis_ = normalize_axis(name(), axis_, first.ndim());
  std::int64_t total = 0;
  for (const Array& x : xs) {
    const bool fits = x.ndim() == first.ndim() && x.shape().with(axis_, 0) == first.shape().with(axis_, 0);
    if (!fits)
      throw ShapeError{name(), {{"xs[0]", first.shape()}, {"x", x.shape()}}, fmt::format("shapes that are equal but for axis {}", axis_)};
    check_equal_dtypes(name(), {{"xs[0]", first}, {"x", x}});
    extents_.push_back(x.shape()[axis_]);
    total += extents_.back();
  }
  const Array y = empty(first.shape().with(axis_, total), first.dtype(), first.device());
  auto& store = y.device().kernel<kernels::StridedStore>();
  std::int64_t begin = 0;
  for (const Array& x : xs) {
    store(x, y, part_of(y.shape(), axis_, begin));
    begin += x.shape()[axis_];
  }
  return {y};
}

Variables Concat::backward(const Variables& gy, const GradRequest&) { return apply_all<SplitAxis>({gy[0]}, axis_, extents_); }

Arrays SplitAxis::forward(const Arrays& x) {
  shape_ = x[0].shape();
  dtype_ = x[0].dtype();
  device_ = &x[0].device();
  Arrays parts;
  std::int64_t begin = 0;
  for (const std::int64_t extent : extents_) {
    if (axis_ == 0) {
      parts.push_back(x[0].slice(begin, begin + extent));
    } else {
      parts.push_back(empty(shape_.with(axis_, extent), dtype_, *device_));
      device_->kernel<kernels::StridedCopy>()(x[0], part_of(shape_, axis_, begin), parts.back());
    }
    begin += extent;
  }
  return parts;
}

Variables SplitAxis::backward(const Variables& gy, const GradRequest&) {
  Variables parts = gy;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i]) parts[i] = zeros(shape_.with(axis_, extents_[i]), dtype_, *device_);
  return {apply<Concat>(parts, axis_)};
}

void check_any(std::string_view name, const Variables& xs) {
  if (xs.empty()) throw ValueError{fmt::format("{}: number of arrays", name), xs.size(), "at least 1"};
}

template <class Change>
Variables each(const Variables& xs, const Change& change) {
  Variables result;
  for (const Variable& x : xs) result.push_back(change(x));
  return result;
}

}  // namespace

Variable concat(const Variables& xs, int axis) {
  check_any("concat", xs);
  return apply<Concat>(xs, axis);
}

Variable stack(const Variables& xs, int axis) {
  check_any("stack", xs);
  const int at = normalize_axis("stack", axis, xs[0].ndim() + 1);
  for (const Variable& x : xs)
    if (x.shape() != xs[0].shape()) throw ShapeError{"stack", {{"xs[0]", xs[0].shape()}, {"x", x.shape()}}, "equal shapes"};
  return concat(each(xs, [&](const Variable& x) { return expand_dims(x, at); }), at);
}

Variable hstack(const Variables& xs) {
  check_any("hstack", xs);
  const Variables rows = each(xs, [](const Variable& x) { return x.ndim() == 0 ? flatten(x) : x; });
  return concat(rows, rows[0].ndim() == 1 ? 0 : 1);
}

Variable vstack(const Variables& xs) {
  check_any("vstack", xs);
  return concat(each(xs, [](const Variable& x) { return x.ndim() < 2 ? reshape(x, Shape{1, x.size()}) : x; }), 0);
}

Variable dstack(const Variables& xs) {
  check_any("dstack", xs);
  const auto deep = [](const Variable& x) {
    if (x.ndim() < 2) return reshape(x, Shape{1, x.size(), 1});
    return x.ndim() == 2 ? expand_dims(x, 2) : x;
  };
  return concat(each(xs, deep), 2);
}

Variables split_axis(const Variable& x, std::int64_t sections, int axis) {
  const int at = normalize_axis("split_axis", axis, x.ndim());
  if (sections < 1) throw ValueError{"split_axis: sections", sections, "at least 1"};
  if (x.shape()[at] % sections != 0)
    throw ShapeError{"split_axis", {{"x", x.shape()}}, fmt::format("an extent of axis {} that {} divides", at, sections)};
  return apply_all<SplitAxis>({x}, at, Extents(static_cast<std::size_t>(sections), x.shape()[at] / sections));
}

Variables split_axis(const Variable& x, const std::vector<std::int64_t>& indices, int axis) {
  const int at = normalize_axis("split_axis", axis, x.ndim());
  const std::int64_t extent = x.shape()[at];
  Extents extents;
  std::int64_t begin = 0;
  for (const std::int64_t index : indices) {
    if (index < begin || index > extent)
      throw ValueError{"split_axis: indices", fmt::format("({})", fmt::join(indices, ", ")), fmt::format("numbers from 0 to {} that do not decrease", extent)};
    extents.push_back(index - begin);
    begin = index;
  }
  extents.push_back(extent - begin);
  return apply_all<SplitAxis>({x}, at, std::move(extents));
}

Variables separate(const Variable& x, int axis) {
  const int at = normalize_axis("separate", axis, x.ndim());
  if (x.shape()[at] == 0) return {};
  return each(split_axis(x, x.shape()[at], at), [&](const Variable& part) { return squeeze(part, {at}); });
}

}  // namespace renkei::functions
