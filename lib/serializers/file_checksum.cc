#include <renkei/lib/serializers/file_checksum.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <libdeflate.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

constexpr std::uint64_t kChunk = 1 << 20;

void read_at(const std::string& path, int file, char* target, std::uint64_t bytes, std::uint64_t offset) {
  while (bytes > 0) {
    const ssize_t got = ::pread(file, target, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw FileError{path, static_cast<std::int64_t>(offset),
                      got == 0 ? "ends too early" : "cannot be read: " + std::generic_category().message(errno)};
    target += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::uint64_t>(got);
  }
}

}  // namespace

std::string checksum_digits(std::uint32_t crc) { return fmt::format("{:08x}", crc); }

bool check_file_checksum(const std::string& path, int file, std::uint64_t bytes) {
  constexpr std::uint64_t kComment = kChecksumMark.size() + kChecksumDigits;
  if (bytes < kComment) return false;
  std::string comment(kComment, '\0');
  read_at(path, file, comment.data(), kComment, bytes - kComment);
  if (!comment.starts_with(kChecksumMark)) return false;
  const auto chunk = std::make_unique<char[]>(kChunk);
  std::uint32_t crc = 0;
  const std::uint64_t covered = bytes - kChecksumDigits;
  for (std::uint64_t offset = 0; offset < covered; offset += kChunk) {
    const std::uint64_t part = std::min(kChunk, covered - offset);
    read_at(path, file, chunk.get(), part, offset);
    crc = libdeflate_crc32(crc, chunk.get(), part);
  }
  const std::string written = comment.substr(kChecksumMark.size());
  if (written != checksum_digits(crc))
    throw FileError{path, fmt::format("is damaged: the checksum of its bytes is {}, the file says {}",
                                      checksum_digits(crc), written)};
  return true;
}

}  // namespace renkei
