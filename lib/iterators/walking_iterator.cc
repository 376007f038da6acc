#include <renkei/lib/iterators/walking_iterator.h>

#include <renkei/lib/serializers/serializer.h>

namespace renkei::iterators {

std::optional<double> WalkingIterator::previous_epoch_detail() const {
  if (!progress_.previous_samples) return std::nullopt;
  return walk_.epoch_detail(*progress_.previous_samples);
}

void WalkingIterator::serialize(Serializer& serializer) {
  if (!serializer.is_loading()) return walk_.save(serializer, progress_);
  jump(walk_.load(serializer, progress_));
}

}  // namespace renkei::iterators
