// The records of a zip archive, for writing (APPNOTE.TXT 6.3). Sizes are known before a record is written, so an
// archive is written front to back, without seeking. Records use 64-bit fields where 32 bits are not enough.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace renkei {

struct ZipEntry {
  std::string name;  ///< UTF-8
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;         ///< of the content
  std::uint64_t packed_size = 0;  ///< in the archive
  std::uint64_t offset = 0;       ///< of its local header
};

/// What stands before the bytes of an entry.
std::string zip_local_header(const ZipEntry& entry);

/// What stands after the last entry, at `offset`: the directory and its end, up to a comment of `comment_bytes`.
std::string zip_directory(const std::vector<ZipEntry>& entries, std::uint64_t offset, std::uint16_t comment_bytes);

}  // namespace renkei
