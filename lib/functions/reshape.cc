#include <renkei/lib/functions/array.h>

#include <algorithm>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>

namespace renkei::functions {
namespace {

class Reshape final : public FunctionNode {
 public:
  explicit Reshape(const Shape& shape) : shape_{shape} {}
  std::string_view name() const override { return "reshape"; }
  Arrays forward(const Arrays& x) override { return {x[0].reshape(shape_)}; }
  Variables backward(const Variables& gy, const GradRequest&) override { return {reshape(gy[0], inputs()[0]->shape)}; }

 private:
  Shape shape_;
};

/// Fills in the extent that is -1.
Shape complete(std::vector<std::int64_t> extents, const Shape& x) {
  std::int64_t known = 1;
  int missing = -1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != -1) {
      known *= extents[axis];
    } else {
      if (missing >= 0) throw ValueError{"reshape: extents that are -1", 2, "at most 1"};
      missing = static_cast<int>(axis);
    }
  }
  if (missing < 0) return Shape{extents};
  auto& extent = extents[static_cast<std::size_t>(missing)];
  extent = 1;
  if (known <= 0 || x.size() % known != 0)
    throw ShapeError{"reshape", {{"x", x}, {"known extents", Shape{extents}}}, "a size that the known extents divide"};
  extent = x.size() / known;
  return Shape{extents};
}

}  // namespace

Variable reshape(const Variable& x, const Shape& shape) {
  return x.shape() == shape ? x : apply<Reshape>({x}, shape);
}

Variable reshape(const Variable& x, const std::vector<std::int64_t>& extents) {
  return reshape(x, complete(extents, x.shape()));
}

Variable reshape(const Variable& x, std::initializer_list<std::int64_t> extents) {
  return reshape(x, std::vector<std::int64_t>{extents});
}

Variable flatten(const Variable& x) { return reshape(x, Shape{x.size()}); }

Variable expand_dims(const Variable& x, int axis) {
  return reshape(x, x.shape().inserted(normalize_axis("expand_dims", axis, x.ndim() + 1), 1));
}

Variable squeeze(const Variable& x, const Axes& axes) {
  const Shape& shape = x.shape();
  const Axes named = normalize_axes("squeeze", axes, x.ndim());
  std::vector<std::int64_t> extents;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const bool goes = std::find(named.begin(), named.end(), axis) != named.end();
    if (goes && shape[axis] != 1 && !axes.empty())
      throw ShapeError{"squeeze", {{"x", shape}}, "extent 1 at axis " + std::to_string(axis)};
    if (!goes || shape[axis] != 1) extents.push_back(shape[axis]);
  }
  return reshape(x, Shape{extents});
}

}  // namespace renkei::functions
