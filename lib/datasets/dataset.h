// Dataset: a numbered set of examples. An example is a row of arrays, one per field: {image, label}.
// Iterators read from several threads at once: get and gather of a data set must allow that.
#pragma once

#include <cstdint>
#include <span>

#include <renkei/lib/core/array.h>

namespace renkei {

class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;

  /// Example number i as host arrays; a label is an array of shape ().
  virtual Arrays get(std::int64_t i) const = 0;

  /// The examples of those numbers stacked on a new first axis, one host array per field. This one stacks what get()
  /// gives (see concat_examples); override it where a batch can be made in one pass.
  /// An exception of get() comes out as an Error if it was one, else as a std::runtime_error (with the original nested
  /// in it); both then begin with "example I:".
  virtual Arrays gather(std::span<const std::int64_t> indices) const;

 protected:
  Dataset() = default;
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;
};

/// Throws ValueError naming `where`, the index and the size when i is outside [0, size).
void check_index(std::string_view where, std::int64_t i, std::int64_t size);

}  // namespace renkei
