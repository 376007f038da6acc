// For function authors: a reduction over any axes as steps over runs of neighbouring ones.
#pragma once

#include <algorithm>

#include <renkei/lib/device/creation.h>

namespace renkei::functions {

/// Reduces x over normalized `axes` into y with kernel `Key`, which reduces the middle axis of three.
template <class Key>
void reduce_axes(const Array& x, const Axes& axes, const Array& y) {
  auto& reduce = x.device().kernel<Key>();
  const Shape& shape = x.shape();
  if (axes.empty()) return reduce(x.reshape({x.size(), 1, 1}), y.reshape({y.size(), 1}));
  Array rest = x;  // what is still to be reduced; its axes behind the next run are one
  for (std::size_t end = axes.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && axes[begin - 1] + 1 == axes[begin]) --begin;
    const int first = axes[begin], last = axes[end - 1] + 1;
    const std::int64_t outer = shape.product(0, first), n = shape.product(first, last);
    const std::int64_t inner = end == axes.size() ? shape.product(last, shape.ndim()) : rest.size() / std::max<std::int64_t>(outer * n, 1);
    const Array target = begin == 0 ? y.reshape({outer, inner}) : empty({outer, inner}, x.dtype(), x.device());
    reduce(rest.reshape({outer, n, inner}), target);
    rest = target;
    end = begin;
  }
}

}  // namespace renkei::functions
