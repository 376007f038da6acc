#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/labels.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/kernels/loss.h>

namespace renkei::functions {
namespace {

class SoftmaxCrossEntropy final : public FunctionNode {
 public:
  explicit SoftmaxCrossEntropy(const SoftmaxCrossEntropyOptions& options)
      : options_{options.ignore_label, options.normalize, options.reduce == Reduce::no, options.class_weight} {}
  std::string_view name() const override { return "softmax_cross_entropy"; }

  Arrays forward(const Arrays& inputs) override {
    const Array &x = inputs[0], &t = inputs[1];
    check_labels(name(), x, t);
    check_weight(x);
    if (config().enable_backprop) probabilities_ = empty_like(x);
    labels_ = flat_labels(t);
    const Array loss = empty(options_.per_label ? t.shape() : Shape{}, x.dtype(), x.device());
    loss.device().kernel<kernels::SoftmaxCrossEntropy>()(options_, with_classes(x), labels_, with_classes(probabilities_), loss);
    return {loss};
  }

  Variables backward(const Variables& gy, const GradRequest&) override {
    const Array gx = empty_like(probabilities_);
    gx.device().kernel<kernels::SoftmaxCrossEntropyGrad>()(options_, with_classes(probabilities_), labels_, gy[0].data(), with_classes(gx));
    return {Variable{gx}, Variable{}};
  }

 private:
  void check_weight(const Array& x) const {
    const Array& weight = options_.weight;
    if (!weight) return;
    if (weight.shape() != Shape{x.shape()[1]})
      throw ShapeError{name(), {{"x", x.shape()}, {"class_weight", weight.shape()}}, "one weight per class"};
    check_equal_dtypes(name(), {{"x", x}, {"class_weight", weight}});
  }

  kernels::LabelOptions options_;
  Array probabilities_, labels_;
};

}  // namespace

Variable softmax_cross_entropy(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options) {
  return apply<SoftmaxCrossEntropy>({x, t}, options);
}

}  // namespace renkei::functions
