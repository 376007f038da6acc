// Loss functions. All differentiable twice.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

enum class Reduce { mean, no };

/// What is taken of target probabilities: their cross entropy, or their divergence, which is 0 when x meets them.
enum class SoftTargetLoss { cross_entropy, kl_divergence };

struct SoftmaxCrossEntropyOptions {
  bool normalize = true;           ///< mean: divide by the number of labels that count, not by the batch size
  Array class_weight = {};         ///< (classes), dtype of x: multiplies each loss, leaves the divisor alone
  std::int64_t ignore_label = -1;  ///< labels of this value count nowhere
  Reduce reduce = Reduce::mean;    ///< no: one loss per label, not divided by anything
  SoftTargetLoss soft_target_loss = SoftTargetLoss::cross_entropy;
};

/// Cross entropy of labels under softmax:  -log softmax(x)[t].
///   x (batch, classes, rest...)   t (batch, rest...), int32, int64 or uint8   ->   y (), or the shape of t unreduced
/// If every label is ignored the mean is 0.
/// A floating t of the shape of x holds target probabilities instead:  -sum over classes of t log softmax(x), or with
/// kl_divergence  sum of t (log(t + 1e-7) - log softmax(x));  its mean is over all positions, and `normalize` and
/// `ignore_label` say nothing. Differentiable in such a t too.
/// Throws ShapeError naming both shapes, ValueError naming a label that is no class.
Variable softmax_cross_entropy(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options = {});

/// Mean of (a - b)^2 over all elements: 0 if there are none. Throws ShapeError unless shapes are equal.
Variable mean_squared_error(const Variable& a, const Variable& b);

/// (a - b)^2, element by element. Throws ShapeError unless shapes are equal.
Variable squared_error(const Variable& a, const Variable& b);

}  // namespace renkei::functions
