// IDX files made by hand, plain and gzip.
#pragma once

#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace renkei::test {

/// 00 00 TYPE AXES, extents in big-endian order, then `elements` as they are.
inline std::string idx(int type, const std::vector<std::uint32_t>& extents, const std::string& elements) {
  std::string file{'\0', '\0', static_cast<char>(type), static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents)
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(extent >> shift & 0xff);
  return file + elements;
}

/// `n` bytes 1, 2, 3, ... (never the byte before)
inline std::string counting(std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += static_cast<char>(i * 7 + 1);
  return text;
}

inline std::string gzip(const std::string& content) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, content.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor, content.data(), content.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

class DataFolder : public TemporaryFolder {
 public:
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    write_bytes(*this / name, content);
    return *this / name;
  }
};

}  // namespace renkei::test
