#include <memory>

#include <libdeflate.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/atomic_file.h>
#include <renkei/lib/serializers/file_checksum.h>
#include <renkei/lib/serializers/npy.h>
#include <renkei/lib/serializers/npz.h>
#include <renkei/lib/serializers/unicode.h>
#include <renkei/lib/serializers/zip_format.h>

namespace renkei {
namespace {

constexpr int kDeflateLevel = 6;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  return bytes.empty() ? crc : libdeflate_crc32(crc, bytes.data(), bytes.size());
}

/// Deflated bytes; empty when they would not be fewer.
std::vector<std::byte> deflated(libdeflate_compressor* compressor, const NpyImage& image) {
  const std::span<const std::byte> elements = image.elements();
  std::vector<std::byte> plain(image.header.size() + elements.size());
  std::copy_n(bytes_of(image.header).begin(), image.header.size(), plain.begin());
  std::copy(elements.begin(), elements.end(), plain.begin() + static_cast<std::ptrdiff_t>(image.header.size()));
  std::vector<std::byte> packed(plain.size() - 1);
  packed.resize(libdeflate_deflate_compress(compressor, plain.data(), plain.size(), packed.data(), packed.size()));
  return packed;
}

class Writer {
 public:
  Writer(const std::string& path, const NpzOptions& options) : file_{path} {
    if (options.compress) compressor_.reset(libdeflate_alloc_compressor(kDeflateLevel));
  }

  void add(const std::string& key, const Value& value) {
    const auto name = utf32_of(key);
    constexpr std::size_t kLongestName = 60000;
    if (!name || name->empty() || name->find(U'\0') != std::u32string::npos || key.size() > kLongestName)
      throw ValueError{"key of an npz file", key.substr(0, 100), "UTF-8 text without NUL of 1 to 60000 bytes"};
    const NpyImage image = npy_image(key, value);
    const std::span<const std::byte> elements = image.elements();
    ZipEntry entry{key + ".npy", false, crc32(crc32(0, bytes_of(image.header)), elements),
                   image.header.size() + elements.size(), image.header.size() + elements.size(), offset_};
    std::vector<std::byte> packed;
    if (compressor_) packed = deflated(compressor_.get(), image);
    if (!packed.empty()) {
      entry.deflated = true;
      entry.packed_size = packed.size();
    }
    write(bytes_of(zip_local_header(entry)));
    if (entry.deflated) {
      write(packed);
    } else {
      write(bytes_of(image.header));
      write(elements);
    }
    entries_.push_back(std::move(entry));
  }

  void commit() {
    write(bytes_of(zip_directory(entries_, offset_, kChecksumMark.size() + kChecksumDigits)));
    write(bytes_of(kChecksumMark));
    write(bytes_of(checksum_digits(crc_)));
    file_.commit();
  }

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
  };

  void write(std::span<const std::byte> bytes) {
    file_.write(bytes);
    crc_ = crc32(crc_, bytes);
    offset_ += bytes.size();
  }

  AtomicFile file_;
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<ZipEntry> entries_;
  std::uint64_t offset_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace

void write_npz(const std::string& path, const Dictionary& dictionary, const NpzOptions& options) {
  Writer writer{path, options};
  for (const auto& [key, value] : dictionary) writer.add(key, value);
  writer.commit();
}

}  // namespace renkei
