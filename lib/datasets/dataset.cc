#include <renkei/lib/datasets/dataset.h>

#include <stdexcept>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/concat_examples.h>
#include <renkei/lib/datasets/read_watch.h>

namespace renkei {

Arrays Dataset::gather(std::span<const std::int64_t> indices) const {
  std::vector<Arrays> examples;
  examples.reserve(indices.size());
  for (const std::int64_t i : indices) {
    ReadWatch::note(i);
    try {
      examples.push_back(get(i));
    } catch (Error& error) {
      error.prepend(fmt::format("example {}", i));
      throw;
    } catch (const std::exception& error) {
      std::throw_with_nested(std::runtime_error{fmt::format("example {}: {}", i, error.what())});
    }
  }
  return concat_examples(examples, {.indices = indices});
}

void check_index(std::string_view where, std::int64_t i, std::int64_t size) {
  if (i < 0 || i >= size)
    throw ValueError{fmt::format("{}: index", where), i,
                     fmt::format("0 to {} (the data set has {} examples)", size - 1, size)};
}

}  // namespace renkei
