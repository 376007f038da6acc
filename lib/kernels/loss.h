// Kernel keys: losses and measures of classification. x, y: float32 or float64; labels t: int32, int64 or uint8.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <renkei/lib/core/array.h>

namespace renkei::kernels {

/// How labels count.   weight (classes) or no array
struct LabelOptions {
  std::int64_t ignore_label = -1;
  bool normalize = true;   ///< divide by the number of labels that are not ignored, else by `batch`; at least 1
  bool per_label = false;  ///< one loss for each label, not divided, instead of one number
  Array weight = {};
};

/// p = softmax of x along its classes; the loss of a label is -weight[t] log p[t], 0 where it is ignored.
///   x, p (batch, classes, inner)   t (batch, inner)   loss () or, per label, (batch, inner)
/// p may be absent. Throws ValueError for a label that is neither a class nor ignored.
struct SoftmaxCrossEntropy {
  static constexpr std::string_view kName = "softmax_cross_entropy";
  using Fn = void(const LabelOptions& options, const Array& x, const Array& t, const Array& p, const Array& loss);
};

/// gx = (p - onehot(t)) scale: the gradient of that loss, `gloss` being the gradient put into it (shape of the loss).
struct SoftmaxCrossEntropyGrad {
  static constexpr std::string_view kName = "softmax_cross_entropy_grad";
  using Fn = void(const LabelOptions& options, const Array& p, const Array& t, const Array& gloss, const Array& gx);
};

/// y[n, t[n, i], i] = weight[t] / divisor, 0 elsewhere: the loss is -sum(y log p).   y (batch, classes, inner)
struct LabelTargets {
  static constexpr std::string_view kName = "label_targets";
  using Fn = void(const LabelOptions& options, const Array& t, const Array& y);
};

/// The share of labels that are the first class of largest y.   y (batch, classes, inner)   t (batch, inner)
/// result (), dtype of y: 0 when every label is ignored.
struct Accuracy {
  static constexpr std::string_view kName = "accuracy";
  using Fn = void(const Array& y, const Array& t, std::optional<std::int64_t> ignore_label, const Array& result);
};

}  // namespace renkei::kernels
