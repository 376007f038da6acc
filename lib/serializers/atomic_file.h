// Files that are there whole or not at all: written beside the target under another name, flushed to the disk, then
// renamed over it. A kill, a full disk or a power cut leaves the file that was there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace renkei {

/// One file being written. Until commit() the target is untouched; without it, also when an exception passes, the
/// temporary file is removed. Not for use by several threads at once.
class AtomicFile {
 public:
  /// Creates the temporary file `.NAME.RANDOM.renkei-tmp` in the folder of `path`. Every function throws
  /// FileError with the target's path and the reason of the system (missing folder, read-only, full disk).
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span{text})); }
  void commit();

 private:
  [[noreturn]] void fail(std::string_view action, int reason);
  void close_and_remove() noexcept;

  std::string path_, temporary_;
  int file_ = -1;
  std::vector<std::byte> buffer_;  // small writes are gathered
  void flush();
  void write_through(std::span<const std::byte> bytes);
};

/// Replaces `path` by `text` in one step.
void write_file_atomically(const std::string& path, std::string_view text);

/// Removes the temporary files that killed processes left in `folder` and returns their names, sorted. Those that a
/// living process is writing, in this program or another one, stay (each is locked while it is written).
std::vector<std::string> remove_leftovers(const std::string& folder);

}  // namespace renkei
