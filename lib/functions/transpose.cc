// Other orders of the same elements.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/strided.h>

namespace renkei::functions {
namespace {

Variable permuted(std::string_view name, const Variable& x, const Axes& axes) {
  const auto strides = row_major_strides(x.shape());
  StridedView view{x.shape(), {}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    view.shape = view.shape.with(static_cast<int>(i), x.shape()[axes[i]]);
    view.part.strides[i] = strides[static_cast<std::size_t>(axes[i])];
  }
  return strided_view(name, x, view);
}

/// Axis numbers of x in order.
Axes all_axes(const Variable& x) {
  Axes axes(static_cast<std::size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

Variable transpose(const Variable& x, const Axes& axes) {
  Axes order = all_axes(x);
  if (axes.empty()) {
    std::reverse(order.begin(), order.end());
    return permuted("transpose", x, order);
  }
  Axes wanted;
  for (const int axis : axes) wanted.push_back(normalize_axis("transpose", axis, x.ndim()));
  if (!std::is_permutation(order.begin(), order.end(), wanted.begin(), wanted.end()))
    throw ValueError{"transpose: axes", fmt::format("({})", fmt::join(axes, ", ")), fmt::format("each of the {} axes once", x.ndim())};
  return permuted("transpose", x, wanted);
}

Variable swapaxes(const Variable& x, int axis1, int axis2) {
  Axes order = all_axes(x);
  std::swap(order[static_cast<std::size_t>(normalize_axis("swapaxes", axis1, x.ndim()))],
            order[static_cast<std::size_t>(normalize_axis("swapaxes", axis2, x.ndim()))]);
  return permuted("swapaxes", x, order);
}

Variable moveaxis(const Variable& x, const Axes& source, const Axes& destination) {
  if (source.size() != destination.size())
    throw ValueError{"moveaxis: number of destinations", destination.size(), fmt::format("one for each of the {} sources", source.size())};
  normalize_axes("moveaxis", source, x.ndim());  // each once
  normalize_axes("moveaxis", destination, x.ndim());
  Axes order(static_cast<std::size_t>(x.ndim()), -1), rest = all_axes(x);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const int axis = normalize_axis("moveaxis", source[i], x.ndim());
    order[static_cast<std::size_t>(normalize_axis("moveaxis", destination[i], x.ndim()))] = axis;
    std::erase(rest, axis);
  }
  auto next = rest.begin();
  for (int& axis : order)
    if (axis < 0) axis = *next++;
  return permuted("moveaxis", x, order);
}

Variable rollaxis(const Variable& x, int axis, int start) {
  const int from = normalize_axis("rollaxis", axis, x.ndim());
  if (start < -x.ndim() || start > x.ndim())
    throw ValueError{"rollaxis: start", start, fmt::format("from {} to {}", -x.ndim(), x.ndim())};
  const int before = start < 0 ? start + x.ndim() : start;
  Axes order = all_axes(x);
  std::erase(order, from);
  order.insert(order.begin() + (before > from ? before - 1 : before), from);
  return permuted("rollaxis", x, order);
}

Variable flip(const Variable& x, int axis) {
  const int at = normalize_axis("flip", axis, x.ndim());
  StridedView view{x.shape(), {0, row_major_strides(x.shape())}};
  auto& stride = view.part.strides[static_cast<std::size_t>(at)];
  view.part.offset = (x.shape()[at] - 1) * stride;
  stride = -stride;
  return strided_view("flip", x, view);
}

Variable fliplr(const Variable& x) { return flip(x, 1); }
Variable flipud(const Variable& x) { return flip(x, 0); }

}  // namespace renkei::functions
