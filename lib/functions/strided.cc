#include <renkei/lib/functions/strided.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>

namespace renkei::functions {
namespace {

bool is_row_major(const StridedView& view) {
  const auto strides = row_major_strides(view.shape);
  for (int axis = 0; axis < view.shape.ndim(); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (view.shape[axis] != 1 && view.part.strides[k] != strides[k]) return false;
  }
  return true;
}

class Strided final : public FunctionNode {
 public:
  Strided(std::string_view name, const StridedView& view) : name_{name}, view_{view} {}
  std::string_view name() const override { return name_; }
  Arrays forward(const Arrays& x) override;
  Variables backward(const Variables& gy, const GradRequest&) override;

 private:
  std::string_view name_;
  StridedView view_;
};

/// Puts x into the view of an array of zeros: the gradient of taking it out.
class StridedPut final : public FunctionNode {
 public:
  StridedPut(std::string_view name, const StridedView& view, const Shape& whole) : name_{name}, view_{view}, whole_{whole} {}
  std::string_view name() const override { return name_; }
  Arrays forward(const Arrays& x) override {
    const bool covers = view_.shape.size() == whole_.size();
    const Array y = covers ? empty(whole_, x[0].dtype(), x[0].device()) : zeros(whole_, x[0].dtype(), x[0].device());
    y.device().kernel<kernels::StridedStore>()(x[0], y, view_.part);
    return {y};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {apply<Strided>({gy[0]}, name_, view_)}; }

 private:
  std::string_view name_;
  StridedView view_;
  Shape whole_;
};

Arrays Strided::forward(const Arrays& x) {
  const std::int64_t offset = view_.part.offset, size = view_.shape.size();
  if (size > 0 && is_row_major(view_)) return {x[0].reshape({x[0].size()}).slice(offset, offset + size).reshape(view_.shape)};
  const Array y = empty(view_.shape, x[0].dtype(), x[0].device());
  y.device().kernel<kernels::StridedCopy>()(x[0], view_.part, y);
  return {y};
}

Variables Strided::backward(const Variables& gy, const GradRequest&) {
  return {apply<StridedPut>({gy[0]}, name_, view_, inputs()[0]->shape)};
}

}  // namespace

std::array<std::int64_t, Shape::kMaxDims> row_major_strides(const Shape& shape) {
  std::array<std::int64_t, Shape::kMaxDims> strides{};
  std::int64_t stride = 1;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

Variable strided_view(std::string_view name, const Variable& x, const StridedView& view) { return apply<Strided>({x}, name, view); }

}  // namespace renkei::functions
