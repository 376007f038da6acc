// For function authors: scores with one class axis beside labels.
#pragma once

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/core/error.h>

namespace renkei::functions {

/// Throws ShapeError unless x is (batch, classes, rest...) with at least one class and t is (batch, rest...).
inline void check_labels(std::string_view where, std::string_view x_name, const Array& x, const Array& t) {
  const Shape &scores = x.shape(), &labels = t.shape();
  bool fits = scores.ndim() >= 2 && labels.ndim() == scores.ndim() - 1 && scores[1] > 0 && scores[0] == labels[0];
  for (int axis = 1; fits && axis < labels.ndim(); ++axis) fits = labels[axis] == scores[axis + 1];
  if (fits) return;
  throw ShapeError{where, {{x_name, scores}, {"t", labels}}, std::string{x_name} + " (batch, classes, rest...) and t (batch, rest...)"};
}

/// View as (batch, classes, inner); an absent array stays absent.
inline Array with_classes(const Array& x) {
  return !x || x.ndim() == 3 ? x : x.reshape({x.shape()[0], x.shape()[1], x.shape().product(2, x.ndim())});
}

/// View as (batch, inner).
inline Array flat_labels(const Array& t) { return t.reshape({t.shape()[0], t.shape().product(1, t.ndim())}); }

}  // namespace renkei::functions
