// IDX: the file format of MNIST and its relatives (magic 00 00 TYPE AXES, extents, elements, all big-endian).
#pragma once

#include <string>

#include <renkei/lib/core/array.h>

namespace renkei::datasets {

enum class IdxKind {
  any,
  images,  ///< bytes with three axes: (n, rows, columns)
  labels,  ///< bytes with one axis
};

/// The array in an IDX file, plain or gzip, in host memory (huge pages where the kernel grants them).
/// Types 08 (byte) -> uint8, 0C -> int32, 0D -> float32, 0E -> float64; 09 (signed byte) and 0B (16 bits) are widened
/// to int32. Size and checksum are checked; nothing is read past the end. Safe to call from several threads.
/// Throws FileError naming the path, the offset and what was expected and found.
Array read_idx(const std::string& path, IdxKind kind = IdxKind::any);

}  // namespace renkei::datasets
