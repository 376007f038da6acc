#include <renkei/lib/functions/noise.h>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/kernels/noise.h>

namespace renkei::functions {
namespace {

/// Draws the mask and applies it in one pass.
class Dropout final : public FunctionNode {
 public:
  Dropout(double ratio, Array* return_mask) : ratio_{ratio}, return_mask_{return_mask} {}
  std::string_view name() const override { return "dropout"; }

  Arrays forward(const Arrays& x) override {
    const Array y = empty_like(x[0]);
    mask_ = empty_like(x[0]);
    RandomGenerator& generator = current_generator();
    const std::int64_t per_sample = x[0].ndim() == 0 ? 1 : x[0].shape().product(1, x[0].ndim());
    const auto first = static_cast<std::uint64_t>(config().first_sample * per_sample);
    y.device().kernel<kernels::Dropout>()({generator.seed(), generator.take_stream(), first}, ratio_, x[0], y, mask_);
    if (return_mask_) *return_mask_ = mask_;
    return {y};
  }

  Variables backward(const Variables& gy, const GradRequest&) override { return {gy[0] * Variable{mask_}}; }

 private:
  double ratio_;
  Array* return_mask_;
  Array mask_;
};

}  // namespace

Variable dropout(const Variable& x, double ratio, const DropoutOptions& options) {
  if (!(ratio >= 0.0 && ratio < 1.0)) throw ValueError{"dropout: ratio", ratio, "from 0 up to, but not, 1"};
  if (options.mask && options.mask.shape() != x.shape())
    throw ShapeError{"dropout", {{"x", x.shape()}, {"mask", options.mask.shape()}}, "equal shapes"};
  if (options.return_mask) *options.return_mask = {};
  if (!config().train) return x;
  if (options.mask) {
    check_equal_dtypes("dropout", {{"x", x.data()}, {"mask", options.mask}});
    if (options.return_mask) *options.return_mask = options.mask;
    return x * Variable{options.mask};
  }
  return ratio == 0.0 ? x : apply<Dropout>({x}, ratio, options.return_mask);
}

}  // namespace renkei::functions
