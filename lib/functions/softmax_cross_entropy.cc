#include <algorithm>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/labels.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/loss.h>

namespace renkei::functions {
namespace {

constexpr std::string_view kName = "softmax_cross_entropy";

class SoftmaxCrossEntropy final : public FunctionNode {
 public:
  explicit SoftmaxCrossEntropy(const SoftmaxCrossEntropyOptions& options)
      : options_{options.ignore_label, options.normalize, options.reduce == Reduce::no, options.class_weight} {}
  std::string_view name() const override { return kName; }

  Arrays forward(const Arrays& inputs) override {
    const Array &x = inputs[0], &t = inputs[1];
    retain_inputs({0});
    labels_ = flat_labels(t);
    if (config().enable_backprop) probabilities_ = empty_like(x);
    const Array loss = empty(options_.per_label ? t.shape() : Shape{}, x.dtype(), x.device());
    x.device().kernel<kernels::SoftmaxCrossEntropy>()(options_, with_classes(x), labels_, with_classes(probabilities_), loss);
    return {loss};
  }

  Variables backward(const Variables& gy, const GradRequest&) override {
    return {config().enable_backprop ? composed_gradient(gy[0]) : Variable{fused_gradient(gy[0].data())}, Variable{}};
  }

 private:
  Array fused_gradient(const Array& gy) const {
    const Array gx = empty_like(probabilities_);
    gx.device().kernel<kernels::SoftmaxCrossEntropyGrad>()(options_, with_classes(probabilities_), labels_, gy, with_classes(gx));
    return gx;
  }

  /// The same out of differentiable pieces: the loss is -sum(targets log softmax(x)) with constant targets.
  Variable composed_gradient(const Variable& gy) const {
    const Variable x = retained_input(0);
    const Array filled = empty_like(x.data());
    filled.device().kernel<kernels::LabelTargets>()(options_, labels_, with_classes(filled));
    const Variable targets = filled;
    const Shape one_class = x.shape().with(1, 1);
    const Variable g = options_.per_label ? reshape(gy, one_class) : gy;
    return g * (softmax(x) * sum(targets, {1}, {.keepdims = true}) - targets);
  }

  kernels::LabelOptions options_;
  Array probabilities_, labels_;
};

void check_weight(const Array& x, const Array& weight) {
  if (!weight) return;
  if (weight.shape() != Shape{x.shape()[1]})
    throw ShapeError{kName, {{"x", x.shape()}, {"class_weight", weight.shape()}}, "one weight per class"};
  check_equal_dtypes(kName, {{"x", x}, {"class_weight", weight}});
  check_same_device(kName, {Variable{x}, Variable{weight}});
}

/// One weight per class, in a shape that stretches to that of x.
Variable stretched_weight(const Array& weight, const Array& x) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(x.ndim() - 1), 1);
  extents[0] = weight.size();
  return reshape(weight, Shape{extents});
}

Variable soft_cross_entropy(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options) {
  if (x.shape() != t.shape() || x.ndim() < 2)
    throw ShapeError{kName, {{"x", x.shape()}, {"t", t.shape()}}, "equal shapes (batch, classes, rest...) where t holds probabilities"};
  check_equal_dtypes(kName, {{"x", x.data()}, {"t", t.data()}});
  check_weight(x.data(), options.class_weight);
  Variable log_p = log_softmax(x);
  if (options.class_weight) log_p = log_p * stretched_weight(options.class_weight, x.data());
  const bool divergence = options.soft_target_loss == SoftTargetLoss::kl_divergence;
  const Variable losses = sum(divergence ? t * (log(t + 1e-7) - log_p) : -t * log_p, {1});
  if (options.reduce == Reduce::no) return losses;
  return sum(losses) / static_cast<double>(std::max<std::int64_t>(losses.size(), 1));
}

}  // namespace

Variable softmax_cross_entropy(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options) {
  if (is_floating(t.dtype())) return soft_cross_entropy(x, t, options);
  check_labels(kName, "x", x.data(), t.data());
  check_weight(x.data(), options.class_weight);
  return apply<SoftmaxCrossEntropy>({x, t}, options);
}

}  // namespace renkei::functions
