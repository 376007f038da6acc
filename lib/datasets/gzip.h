// Reading gzip data that lies in memory as a whole.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace renkei::datasets {

bool is_gzip(std::span<const std::byte> data);  ///< by its first two bytes

/// Decompresses the beginning: fills `target` unless the content ends before; returns the number of bytes written.
/// Checks no checksum. Throws FileError naming `path` when the data is damaged that early.
std::size_t gunzip_beginning(std::string_view path, std::span<const std::byte> data, std::span<std::byte> target);

/// Decompresses the whole content into `target`, which has just its size. Throws FileError naming `path` and what is
/// wrong: cut off, damaged, wrong checksum, more or less content (both sizes), or bytes after the end.
void gunzip(std::string_view path, std::span<const std::byte> data, std::span<std::byte> target);

}  // namespace renkei::datasets
