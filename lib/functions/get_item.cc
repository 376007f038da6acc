#include <renkei/lib/functions/get_item.h>

#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/strided.h>
#include <renkei/lib/functions/take.h>

namespace renkei::functions {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t entry(std::int64_t index, int axis, const Shape& shape) {
  const std::int64_t extent = shape[axis];
  if (index < -extent || index >= extent)
    throw ValueError{fmt::format("get_item: index into axis {} of x={}", axis, shape.to_string()), index,
                     fmt::format("from {} to {}", -extent, extent - 1)};
  return index < 0 ? index + extent : index;
}

struct Range {
  std::int64_t start, step, count;
};

/// Python's rule for a slice of `extent` entries.
Range resolve(const Slice& slice, std::int64_t extent) {
  const std::int64_t step = slice.step.value_or(1);
  if (step == 0) throw ValueError{"get_item: step of a slice", step, "not 0"};
  const auto clamp = [&](std::int64_t bound) {
    const std::int64_t absolute = bound < 0 ? bound + extent : bound;
    return step > 0 ? std::clamp<std::int64_t>(absolute, 0, extent) : std::clamp<std::int64_t>(absolute, -1, extent - 1);
  };
  const std::int64_t start = slice.start ? clamp(*slice.start) : (step > 0 ? 0 : extent - 1);
  const std::int64_t stop = slice.stop ? clamp(*slice.stop) : (step > 0 ? extent : -1);
  const std::int64_t distance = step > 0 ? stop - start : start - stop, stride = std::abs(step);
  return {start, step, std::max<std::int64_t>((distance + stride - 1) / stride, 0)};
}

bool is_list(const Index& index) { return std::holds_alternative<List>(index); }
bool is_ellipsis(const Index& index) { return std::holds_alternative<Ellipsis>(index); }
bool is_new_axis(const Index& index) { return std::holds_alternative<NewAxis>(index); }

/// One entry for each axis of x and each new axis: the ellipsis, or the end, is filled with whole axes.
std::vector<Index> complete(const std::vector<Index>& indices, const Shape& shape) {
  const auto free = std::count_if(indices.begin(), indices.end(), [](const Index& i) { return is_ellipsis(i) || is_new_axis(i); });
  const auto named = static_cast<int>(indices.size()) - static_cast<int>(free);
  if (named > shape.ndim()) throw ShapeError{"get_item", {{"x", shape}}, fmt::format("at least {} axes, one for each index", named)};
  const auto ellipsis = std::find_if(indices.begin(), indices.end(), is_ellipsis);
  if (ellipsis != indices.end() && std::find_if(ellipsis + 1, indices.end(), is_ellipsis) != indices.end())
    throw ValueError{"get_item: number of ellipses", 2, "at most 1"};
  std::vector<Index> result{indices.begin(), ellipsis};
  result.insert(result.end(), static_cast<std::size_t>(shape.ndim() - named), Slice{});
  if (ellipsis != indices.end()) result.insert(result.end(), ellipsis + 1, indices.end());
  return result;
}

/// What integers, ranges and new axes make of x; axes with lists stay whole.
struct Plan {
  StridedView view;
  Axes list_axes;  // in the view
  std::vector<List> lists;
};

Plan make_plan(const std::vector<Index>& indices, const Shape& shape) {
  // Beside a list, an integer is a list of one entry.
  const bool any_list = std::any_of(indices.begin(), indices.end(), is_list);
  const auto strides = row_major_strides(shape);
  Plan plan;
  std::vector<std::int64_t> extents;
  std::int64_t offset = 0;
  int axis = 0;
  const auto push = [&](std::int64_t extent, std::int64_t stride) {
    if (extents.size() < Shape::kMaxDims) plan.view.part.strides[extents.size()] = stride;
    extents.push_back(extent);
  };
  for (const Index& index : indices) {
    if (is_new_axis(index)) {
      push(1, 0);
      continue;
    }
    const std::int64_t stride = strides[static_cast<std::size_t>(axis)];
    if (const auto* slice = std::get_if<Slice>(&index)) {
      const Range range = resolve(*slice, shape[axis]);
      if (range.count > 0) offset += range.start * stride;
      push(range.count, range.step * stride);
    } else if (const auto* integer = std::get_if<std::int64_t>(&index); integer && !any_list) {
      offset += entry(*integer, axis, shape) * stride;
    } else {
      List list = integer ? List{*integer} : std::get<List>(index);
      for (std::int64_t& i : list) i = entry(i, axis, shape);
      plan.list_axes.push_back(static_cast<int>(extents.size()));
      plan.lists.push_back(std::move(list));
      push(shape[axis], stride);
    }
    ++axis;
  }
  plan.view.shape = Shape{extents};
  plan.view.part.offset = offset;
  return plan;
}

/// Reads the lists together, as numbers into their axes merged into one.
List merge(const std::vector<List>& lists, const Shape& shape, int first) {
  std::size_t length = 1;
  for (const List& list : lists) {
    if (list.size() == 1) continue;
    if (length != 1 && length != list.size())
      throw ValueError{"get_item: entries of a list", list.size(), fmt::format("{}, as in the other list", length)};
    length = list.size();
  }
  List merged(length, 0);
  for (std::size_t k = 0; k < lists.size(); ++k)
    for (std::size_t i = 0; i < length; ++i)
      merged[i] = merged[i] * shape[first + static_cast<int>(k)] + lists[k][lists[k].size() == 1 ? 0 : i];
  return merged;
}

Variable take_lists(Variable x, Plan plan) {
  Axes& axes = plan.list_axes;
  const int count = static_cast<int>(axes.size());
  if (axes.back() - axes.front() + 1 != count) {  // not neighbours: NumPy puts them first
    Axes front;
    for (int i = 0; i < count; ++i) front.push_back(i);
    x = moveaxis(x, axes, front);
    axes = front;
  }
  const int first = axes.front();
  const List merged = merge(plan.lists, x.shape(), first);
  std::vector<std::int64_t> extents{x.shape().begin(), x.shape().begin() + first};
  extents.push_back(x.shape().product(first, first + count));
  extents.insert(extents.end(), x.shape().begin() + first + count, x.shape().end());
  return take("get_item", reshape(x, Shape{extents}), merged, first);
}

}  // namespace

Variable get_item(const Variable& x, const std::vector<Index>& indices) {
  Plan plan = make_plan(complete(indices, x.shape()), x.shape());
  if (plan.lists.empty()) return strided_view("get_item", x, plan.view);
  const bool whole = plan.view.shape == x.shape() && plan.view.part.strides == row_major_strides(x.shape());
  return take_lists(whole ? x : strided_view("get_item", x, plan.view), std::move(plan));
}

}  // namespace renkei::functions
