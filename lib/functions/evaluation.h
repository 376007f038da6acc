// Measures of quality. Not differentiable.
#pragma once

#include <optional>

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

struct AccuracyOptions {
  std::optional<std::int64_t> ignore_label = {};  ///< labels of this value are left out
};

/// Share of labels that are predicted: the first class of largest y. A number from 0 to 1; 0 if no label counts.
///   y (batch, classes, rest...)   t (batch, rest...), int32, int64 or uint8   ->   (), dtype of y
/// Throws ShapeError naming both shapes.
Variable accuracy(const Variable& y, const Variable& t, const AccuracyOptions& options = {});

}  // namespace renkei::functions
