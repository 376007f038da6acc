// libdeflate decompresses the whole in one go and about twice as fast as zlib; but it can neither stop after the header
// nor say what is wrong, so zlib does these two.
#include <renkei/lib/datasets/gzip.h>

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::datasets {
namespace {

/// zlib's inflate over memory, with sizes beyond 4 GiB.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> data) : left_{data} {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc{};
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Fills `target` or stops; returns the number of bytes written.
  std::size_t read(std::span<std::byte> target) {
    std::size_t written = 0;
    while (written < target.size() && status_ == Z_OK) {
      const auto piece = left_.first(std::min<std::size_t>(left_.size(), std::size_t{1} << 30));
      stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      const std::size_t room = std::min<std::size_t>(target.size() - written, std::size_t{1} << 30);
      stream_.next_out = reinterpret_cast<Bytef*>(target.data() + written);
      stream_.avail_out = static_cast<uInt>(room);
      status_ = inflate(&stream_, Z_NO_FLUSH);
      left_ = left_.subspan(piece.size() - stream_.avail_in);
      written += room - stream_.avail_out;
    }
    return written;
  }

  bool ended() const { return status_ == Z_STREAM_END; }
  std::size_t bytes_left() const { return left_.size(); }

  /// What stopped it before the end; nothing if it can go on.
  std::string problem() const {
    if (status_ == Z_OK || ended()) return {};
    if (status_ == Z_BUF_ERROR && left_.empty()) return "the gzip data is cut off";
    const std::string_view detail = stream_.msg ? stream_.msg : "unknown error";
    if (detail == "incorrect data check") return "the gzip data is damaged: its checksum is wrong";
    return fmt::format("the gzip data is damaged: {}", detail);
  }

 private:
  std::span<const std::byte> left_;
  z_stream stream_{};
  int status_ = Z_OK;
};

/// Says why `data` is not a gzip file with `expected` bytes of content.
[[noreturn]] void explain(std::string_view path, std::span<const std::byte> data, std::size_t expected) {
  Inflater inflater{data};
  std::vector<std::byte> window(std::size_t{1} << 16);
  std::size_t size = 0;
  while (const std::size_t count = inflater.read(window)) size += count;
  const auto offset = static_cast<std::int64_t>(data.size() - inflater.bytes_left());
  if (const std::string problem = inflater.problem(); !problem.empty())
    throw FileError{path, offset, fmt::format("{} ({} of {} bytes decompressed)", problem, size, expected)};
  if (size != expected)
    throw FileError{path, fmt::format("expected {} bytes (after decompression), found {}", expected, size)};
  throw FileError{path, offset, fmt::format("{} bytes after the end of the gzip data", inflater.bytes_left())};
}

}  // namespace

bool is_gzip(std::span<const std::byte> data) {
  return data.size() >= 2 && data[0] == std::byte{0x1f} && data[1] == std::byte{0x8b};
}

std::size_t gunzip_beginning(std::string_view path, std::span<const std::byte> data, std::span<std::byte> target) {
  Inflater inflater{data};
  const std::size_t size = inflater.read(target);
  if (const std::string problem = inflater.problem(); !problem.empty())
    throw FileError{path, static_cast<std::int64_t>(data.size() - inflater.bytes_left()), problem};
  return size;
}

void gunzip(std::string_view path, std::span<const std::byte> data, std::span<std::byte> target) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor{
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
  if (!decompressor) throw std::bad_alloc{};
  std::size_t consumed = 0, written = 0;
  const libdeflate_result result = libdeflate_gzip_decompress_ex(decompressor.get(), data.data(), data.size(),
                                                                 target.data(), target.size(), &consumed, &written);
  if (result != LIBDEFLATE_SUCCESS || written != target.size() || consumed != data.size())
    explain(path, data, target.size());
}

}  // namespace renkei::datasets
