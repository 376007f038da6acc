#include <renkei/lib/functions/take.h>

#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/kernels/indexing.h>

namespace renkei::functions {
namespace {

/// View as (outer, extent of axis, inner).
Array around(const Array& x, int axis) {
  const Shape& shape = x.shape();
  return x.reshape({shape.product(0, axis), shape[axis], shape.product(axis + 1, shape.ndim())});
}

class Take final : public FunctionNode {
 public:
  Take(std::string_view name, int axis, Array indices) : name_{name}, axis_{axis}, indices_{std::move(indices)} {}
  std::string_view name() const override { return name_; }
  Arrays forward(const Arrays& x) override {
    const Array y = empty(x[0].shape().with(axis_, indices_.size()), x[0].dtype(), x[0].device());
    y.device().kernel<kernels::Take>()(around(x[0], axis_), indices_, around(y, axis_));
    return {y};
  }
  Variables backward(const Variables& gy, const GradRequest&) override;

 private:
  std::string_view name_;
  int axis_;
  Array indices_;
};

class TakeGrad final : public FunctionNode {
 public:
  TakeGrad(std::string_view name, int axis, Array indices, std::int64_t extent)
      : name_{name}, axis_{axis}, indices_{std::move(indices)}, extent_{extent} {}
  std::string_view name() const override { return name_; }
  Arrays forward(const Arrays& gy) override {
    const Array gx = zeros(gy[0].shape().with(axis_, extent_), gy[0].dtype(), gy[0].device());
    gx.device().kernel<kernels::TakeAdd>()(around(gy[0], axis_), indices_, around(gx, axis_));
    return {gx};
  }
  Variables backward(const Variables& ggx, const GradRequest&) override { return {apply<Take>({ggx[0]}, name_, axis_, indices_)}; }

 private:
  std::string_view name_;
  int axis_;
  Array indices_;
  std::int64_t extent_;
};

Variables Take::backward(const Variables& gy, const GradRequest&) {
  return {apply<TakeGrad>({gy[0]}, name_, axis_, indices_, inputs()[0]->shape[axis_])};
}

}  // namespace

Variable take(std::string_view name, const Variable& x, const std::vector<std::int64_t>& indices, int axis) {
  const Array numbers = to_array(indices, {static_cast<std::int64_t>(indices.size())}, x.device());
  return apply<Take>({x}, name, axis, numbers);
}

Variable repeat(const Variable& x, const std::vector<std::int64_t>& repeats, std::optional<int> axis) {
  if (!axis) return repeat(flatten(x), repeats, 0);
  const int at = normalize_axis("repeat", *axis, x.ndim());
  const std::int64_t extent = x.shape()[at];
  if (repeats.size() != 1 && static_cast<std::int64_t>(repeats.size()) != extent)
    throw ValueError{"repeat: number of counts", repeats.size(), fmt::format("1, or one for each of the {} entries", extent)};
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < extent; ++i) {
    const std::int64_t count = repeats[repeats.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    if (count < 0) throw ValueError{"repeat: count", count, "at least 0"};
    indices.insert(indices.end(), static_cast<std::size_t>(count), i);
  }
  return take("repeat", x, indices, at);
}

Variable tile(const Variable& x, const std::vector<std::int64_t>& repeats) {
  const int count = static_cast<int>(repeats.size());
  Variable y = x;
  while (y.ndim() < count) y = expand_dims(y, 0);
  for (int i = 0; i < count; ++i) {
    const std::int64_t times = repeats[static_cast<std::size_t>(i)];
    if (times < 0) throw ValueError{"tile: repeats", times, "at least 0"};
    const int axis = y.ndim() - count + i;
    if (times == 1) continue;
    std::vector<std::int64_t> indices(static_cast<std::size_t>(times * y.shape()[axis]));
    for (std::size_t k = 0; k < indices.size(); ++k) indices[k] = static_cast<std::int64_t>(k) % y.shape()[axis];
    y = take("tile", y, indices, axis);
  }
  return y;
}

}  // namespace renkei::functions
