// Changing shape and order, joining and cutting; get_item is in get_item.h. All differentiable twice; any dtype.
// Negative axes count from the end; an axis that does not exist throws ValueError.
#pragma once

#include <optional>

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// The same elements in another shape; shares memory with x. One extent may be -1: it is computed.
/// Throws ShapeError naming both shapes when the sizes differ.
Variable reshape(const Variable& x, std::initializer_list<std::int64_t> extents);
Variable reshape(const Variable& x, const std::vector<std::int64_t>& extents);
Variable reshape(const Variable& x, const Shape& shape);

Variable flatten(const Variable& x);                     ///< one axis; shares memory with x
Variable expand_dims(const Variable& x, int axis);       ///< with a new axis of extent 1 before `axis`; shares memory
Variable squeeze(const Variable& x, const Axes& axes = {});  ///< without axes of extent 1: those named, or all; shares memory

/// Axes in another order: axis i of the result is axis `axes[i]` of x; reversed if none are given.
Variable transpose(const Variable& x, const Axes& axes = {});
Variable swapaxes(const Variable& x, int axis1, int axis2);
/// Axis source[i] goes to position destination[i], the others keep their order.
Variable moveaxis(const Variable& x, const Axes& source, const Axes& destination);
/// Axis `axis` goes before axis `start`.
Variable rollaxis(const Variable& x, int axis, int start = 0);

Variable flip(const Variable& x, int axis);  ///< elements in reverse order along `axis`
Variable fliplr(const Variable& x);          ///< along axis 1
Variable flipud(const Variable& x);          ///< along axis 0

/// Arrays of equal shapes but for `axis`, one after the other along it. Throws ShapeError naming two that differ.
Variable concat(const Variables& xs, int axis = 1);
/// Arrays of equal shapes along a new axis.
Variable stack(const Variables& xs, int axis = 0);
Variable hstack(const Variables& xs);  ///< along axis 1; vectors along axis 0
Variable vstack(const Variables& xs);  ///< along axis 0; vectors are rows
Variable dstack(const Variables& xs);  ///< along axis 2; vectors are (1, n, 1), matrices (m, n, 1)

/// Cuts x along `axis` into `sections` equal parts, or before each of `indices`. Throws ShapeError if parts would be
/// unequal, ValueError for indices that decrease or lie outside.
Variables split_axis(const Variable& x, std::int64_t sections, int axis);
Variables split_axis(const Variable& x, const std::vector<std::int64_t>& indices, int axis);
/// The entries along `axis`, which they lack.
Variables separate(const Variable& x, int axis = 0);

/// Each entry along `axis` repeated; of the flattened array if no axis is given. One count for all or one for each.
Variable repeat(const Variable& x, const std::vector<std::int64_t>& repeats, std::optional<int> axis = {});
/// x `repeats[i]` times along axis i, counted from the last.
Variable tile(const Variable& x, const std::vector<std::int64_t>& repeats);

/// x where the condition (bool) holds, else y; all three broadcast. No gradient flows into the condition.
Variable where(const Variable& condition, const Variable& x, const Variable& y);

/// Elements of another type; the gradient is converted back. x itself if it has that type.
Variable cast(const Variable& x, Dtype dtype);
/// On another device; the gradient goes back. x itself if it is there.
Variable copy(const Variable& x, Device& device);
/// x as the result of a function.
Variable identity(const Variable& x);

}  // namespace renkei::functions
