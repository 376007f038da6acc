// A data set whose example i is the number i, and walking over it.
#pragma once

#include <vector>

#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/iterators/iterator.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {

inline TupleDataset numbers(std::int64_t n) {
  std::vector<float> elements;
  for (std::int64_t i = 0; i < n; ++i) elements.push_back(static_cast<float>(i));
  return TupleDataset{{Field{to_array(elements, {n})}}};
}

/// The examples of the next `batches` batches, as their arrays say.
inline std::vector<std::vector<float>> take(Iterator& iterator, int batches) {
  std::vector<std::vector<float>> result;
  for (int k = 0; k < batches; ++k) {
    const auto batch = iterator.next();
    if (!batch) break;
    result.push_back(to_vector<float>(batch->arrays[0]));
  }
  return result;
}

inline Dictionary saved(Iterator& iterator) {
  Dictionary dictionary;
  Serializer s = Serializer::saving(dictionary);
  iterator.serialize(s);
  return dictionary;
}

inline LoadReport load(Iterator& iterator, const Dictionary& dictionary, LoadOptions options = {}) {
  Serializer s = Serializer::loading(dictionary, "snapshot_iter_7", std::move(options));
  iterator.serialize(s);
  return s.finish();
}

}  // namespace renkei
