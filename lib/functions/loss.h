// Loss functions.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

enum class Reduce { mean, no };

struct SoftmaxCrossEntropyOptions {
  bool normalize = true;           ///< mean: divide by the number of labels that count, not by the batch size
  Array class_weight = {};         ///< (classes), dtype of x: multiplies each loss, leaves the divisor alone
  std::int64_t ignore_label = -1;  ///< labels of this value count nowhere
  Reduce reduce = Reduce::mean;    ///< no: one loss per label, not divided by anything
};

/// Cross entropy of labels under softmax:  -log softmax(x)[t].
///   x (batch, classes, rest...)   t (batch, rest...), int32, int64 or uint8   ->   y (), or the shape of t unreduced
/// If every label is ignored the mean is 0. Differentiable twice in x.
/// Throws ShapeError naming both shapes, ValueError naming a label that is no class.
Variable softmax_cross_entropy(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options = {});

}  // namespace renkei::functions
