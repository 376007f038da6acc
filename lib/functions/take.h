// For function authors: entries along one axis by number. get_item, repeat and tile are made of it.
#pragma once

#include <renkei/lib/autograd/variable.h>

namespace renkei::functions {

/// Entries `indices` (each from 0 up to the extent of `axis`, in any order, repeats allowed) along `axis`.
/// Differentiable twice: gradients of one entry add up.
Variable take(std::string_view name, const Variable& x, const std::vector<std::int64_t>& indices, int axis);

}  // namespace renkei::functions
