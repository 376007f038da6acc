// The .npy format: one array of NumPy with a header that is a Python dict. Versions 1, 2 and 3 are read, version 1
// is written (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <renkei/lib/serializers/serializer.h>

namespace renkei {

struct NpyHeader {
  std::string descr;  ///< type code: byte order, kind, size: "<f4", ">i8", "|b1", "<U5", "|O"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Bytes that are read once, in order.
class NpySource {
 public:
  /// `origin` starts every error message: "model.npz: member 'l1/W'".
  NpySource(std::string origin, std::int64_t bytes) : origin_{std::move(origin)}, remaining_{bytes} {}
  virtual ~NpySource() = default;
  NpySource(const NpySource&) = delete;
  NpySource& operator=(const NpySource&) = delete;

  std::int64_t remaining() const { return remaining_; }
  /// Fills `target`; throws FileError when fewer bytes remain.
  void read(std::span<std::byte> target);
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  virtual void do_read(std::span<std::byte> target) = 0;

  std::string origin_;
  std::int64_t remaining_;
};

/// Reads a header; throws FileError for anything but a well-formed one.
NpyHeader read_npy_header(NpySource& source);

/// Reads header and elements; the rest of the source must be exactly the elements. On the CPU:
///   shape ()   bool -> bool, integers -> int64, float64 -> double, text -> UTF-8 string, pickled None -> None
///   arrays     float16/32/64, int32, int64, uint8, bool as they are; int8, int16, uint16 -> int32;
///              uint32, uint64 -> int64
/// Big-endian elements are swapped, Fortran order becomes C order. Throws FileError naming any other type
/// (complex, dates, records, arrays of text or objects), and a uint64 that does not fit into int64.
Value read_npy(NpySource& source);

/// A value as .npy: `header` holds everything up to the elements (and a scalar, text or None itself); `elements`
/// is the memory of the array on the host. bfloat16, which NumPy lacks, is written as float32: no value changes.
struct NpyImage {
  std::string header;
  Array array;  ///< keeps the elements alive
  std::span<const std::byte> elements() const {
    if (!array) return {};
    return {array.raw_data(), static_cast<std::size_t>(array.bytes())};
  }
};

/// Throws ValueError naming `key` for text that is not UTF-8 or that ends in a NUL, which NumPy would strip.
NpyImage npy_image(std::string_view key, const Value& value);

}  // namespace renkei
