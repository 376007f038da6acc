// Stacking examples into a batch.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <renkei/lib/core/array.h>

namespace renkei {

struct ConcatOptions {
  /// One value for all fields, or one per field: arrays of different extents are then put into the smallest shape that
  /// holds them all, the rest filled with this value. Empty: shapes must be equal.
  std::vector<double> padding = {};
  /// Numbers of the examples for error messages; empty: positions in the batch.
  std::span<const std::int64_t> indices = {};
};

/// Stacks the fields of `examples`, each on a new first axis: field f of n examples with shape S -> (n, S).
/// Results are host arrays. Throws ValueError "batch is empty", ShapeError or DtypeError naming the two examples that
/// do not fit and both shapes or dtypes.
Arrays concat_examples(const std::vector<Arrays>& examples, const ConcatOptions& options = {});

}  // namespace renkei
