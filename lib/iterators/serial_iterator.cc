#include <renkei/lib/iterators/serial_iterator.h>

#include <renkei/lib/iterators/load_batch.h>

namespace renkei::iterators {

SerialIterator::SerialIterator(const Dataset& dataset, std::int64_t batch_size, SerialOptions options)
    : WalkingIterator{dataset,
                      batch_size,
                      {options.repeat, options.shuffle, options.seed, std::move(options.order_sampler)}},
      dataset_{dataset},
      converter_{std::move(options.converter)} {}

std::optional<Batch> SerialIterator::next() {
  auto step = walk().step(progress());
  if (!step) {
    mark_end();
    return std::nullopt;
  }
  ReadWatch watch;
  Arrays arrays = load_batch(dataset_, converter_, step->indices, watch);
  advance(std::move(step->after));
  return Batch{std::move(step->indices), std::move(arrays)};
}

}  // namespace renkei::iterators
