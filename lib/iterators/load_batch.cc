#include <renkei/lib/iterators/load_batch.h>

#include <exception>
#include <stdexcept>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::iterators {

Arrays load_batch(const Dataset& dataset, const Converter& converter, std::span<const std::int64_t> indices,
                  ReadWatch& watch) {
  const ReadWatchScope scope{watch};
  try {
    return converter ? converter(dataset, indices) : dataset.gather(indices);
  } catch (Error& error) {
    if (watch.index() < 0) error.prepend(name_examples(indices));
    throw;
  } catch (const std::exception& error) {
    if (watch.index() >= 0) throw;
    std::throw_with_nested(std::runtime_error{fmt::format("{}: {}", name_examples(indices), error.what())});
  }
}

std::string name_examples(std::span<const std::int64_t> indices) {
  constexpr std::size_t kShown = 8;
  const auto shown = indices.first(std::min(kShown, indices.size()));
  std::string text = fmt::format("example{} {}", indices.size() == 1 ? "" : "s", fmt::join(shown, ", "));
  if (indices.size() > kShown) text += fmt::format(", ... ({} in the batch)", indices.size());
  return text;
}

}  // namespace renkei::iterators
