// Reading whole files: short reads are continued, failures name the path and the reason.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace renkei::datasets {

/// A block of memory in huge pages that goes back to the operating system at once when it is dropped: for big buffers
/// that are needed once.
class TransientBuffer {
 public:
  TransientBuffer() = default;
  explicit TransientBuffer(std::size_t bytes);  ///< throws DeviceError when there is no memory
  ~TransientBuffer();
  TransientBuffer(TransientBuffer&& other) noexcept;
  TransientBuffer& operator=(TransientBuffer&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A file open for reading. Pipes work too; only their size is not known.
class InputFile {
 public:
  explicit InputFile(std::string path);  ///< throws FileError
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::optional<std::size_t> size() const { return size_; }

  /// Fills `target` unless the file ends before; returns the number of bytes read. Throws FileError.
  std::size_t read(std::span<std::byte> target);

  /// `head` and everything that is left in the file.
  struct Content {
    TransientBuffer buffer;
    std::size_t size = 0;
    std::span<const std::byte> bytes() const { return {buffer.data(), size}; }
  };
  Content read_rest(std::span<const std::byte> head);

 private:
  std::string path_;
  int descriptor_;
  std::optional<std::size_t> size_;
};

}  // namespace renkei::datasets
