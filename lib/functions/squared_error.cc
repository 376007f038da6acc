#include <algorithm>

#include <renkei/lib/core/error.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/functions/reduction.h>

namespace renkei::functions {
namespace {

Variable squared_difference(std::string_view name, const Variable& a, const Variable& b) {
  if (a.shape() != b.shape()) throw ShapeError{name, {{"a", a.shape()}, {"b", b.shape()}}, "equal shapes"};
  return square(a - b);
}

}  // namespace

Variable squared_error(const Variable& a, const Variable& b) { return squared_difference("squared_error", a, b); }

Variable mean_squared_error(const Variable& a, const Variable& b) {
  return sum(squared_difference("mean_squared_error", a, b)) / static_cast<double>(std::max<std::int64_t>(a.size(), 1));
}

}  // namespace renkei::functions
