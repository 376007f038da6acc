// Making one batch, with the errors every iterator gives.
#pragma once

#include <renkei/lib/datasets/read_watch.h>
#include <renkei/lib/iterators/iterator.h>

namespace renkei::iterators {

/// converter(dataset, indices), or dataset.gather(indices) without a converter; reads are noted in `watch`. An
/// exception that names no example comes out naming those of the batch: an Error as it is, another as a
/// std::runtime_error with the original nested in it.
Arrays load_batch(const Dataset& dataset, const Converter& converter, std::span<const std::int64_t> indices,
                  ReadWatch& watch);

/// "example 7" or "examples 7, 3, 9, ... (100)"
std::string name_examples(std::span<const std::int64_t> indices);

}  // namespace renkei::iterators
