// The checksum of a whole npz file that Renkei writes, in the comment at its end: "renkei crc32 0123abcd". Checksums
// of members leave the directory and the headers open; this one covers every byte before its own digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace renkei {

inline constexpr std::string_view kChecksumMark = "renkei crc32 ";
inline constexpr std::size_t kChecksumDigits = 8;

std::string checksum_digits(std::uint32_t crc);

/// Whether the open file of `bytes` bytes ends in a checksum. Throws FileError when it does and the bytes before
/// give another one.
bool check_file_checksum(const std::string& path, int file, std::uint64_t bytes);

}  // namespace renkei
