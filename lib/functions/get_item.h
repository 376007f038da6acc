// Indexing by NumPy's rules.
//
//   get_item(x, {Slice{1, {}}, 2})                       x[1:, 2]
//   get_item(x, {Ellipsis{}, NewAxis{}, Slice{{}, {}, -1}})   x[..., None, ::-1]
//   get_item(x, {std::vector<std::int64_t>{0, 1, 0}})    x[[0, 1, 0]]
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include <renkei/lib/autograd/variable.h>

namespace renkei {

/// start:stop:step as in Python: absent means from the start, to the end, by one; negative counts from the end.
struct Slice {
  std::optional<std::int64_t> start = {}, stop = {}, step = {};
};

struct NewAxis {};   ///< puts in an axis of extent 1
struct Ellipsis {};  ///< stands for as many whole axes as are left

/// What is taken of one axis: one entry (and the axis goes), a range, or the entries of a list in its order.
using Index = std::variant<std::int64_t, Slice, NewAxis, Ellipsis, std::vector<std::int64_t>>;

namespace functions {

/// The elements x[indices]. Lists (with the integers beside them) are read together, entry by entry, and stand where
/// they stood if they are neighbours, else first; lists of one entry stretch. Leading ranges share memory with x.
/// Differentiable twice: the gradient of an entry taken several times adds up.
/// Throws ValueError naming an index outside its axis, ShapeError for too many indices.
Variable get_item(const Variable& x, const std::vector<Index>& indices);

}  // namespace functions
}  // namespace renkei
