#include <renkei/lib/datasets/idx.h>

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/gzip.h>
#include <renkei/lib/datasets/input_file.h>
#include <renkei/lib/device/creation.h>

namespace renkei::datasets {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kMaxHeader = kMagicBytes + 4 * Shape::kMaxDims;
constexpr std::int64_t kAlignment = 64;

using Bytes = std::span<const std::byte>;

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    text += fmt::format("{}{:02X}", text.empty() ? "" : " ", std::to_integer<int>(byte));
  return text;
}

struct Header {
  std::uint8_t type = 0;
  std::vector<std::int64_t> extents;

  std::size_t bytes() const { return kMagicBytes + 4 * extents.size(); }
  std::int64_t element_bytes() const { return type <= 0x09 ? 1 : type == 0x0B ? 2 : type == 0x0E ? 8 : 4; }
};

/// The magic number: type of the elements and number of axes.
Header read_magic(const std::string& path, Bytes head) {
  if (head.size() < kMagicBytes)
    throw FileError{path,
                    fmt::format("expected an IDX header of at least {} bytes, found {} bytes", 4 + 4, head.size())};
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint8_t>(head[i]); };
  const auto is_type = [](std::uint8_t code) { return code == 8 || code == 9 || (code >= 0x0B && code <= 0x0E); };
  const std::string found = hex(head.first(kMagicBytes));
  if (byte(2) == 0 && byte(3) == 0 && byte(0) != 0 && is_type(byte(1)))
    throw FileError{path, 0, fmt::format("magic {} has its bytes swapped; want 00 00 TYPE AXES", found)};
  if (byte(0) != 0 || byte(1) != 0)
    throw FileError{path, 0, fmt::format("not an IDX file: found magic {}; want 00 00 TYPE AXES", found)};
  if (!is_type(byte(2)))
    throw FileError{path, 2, fmt::format("IDX type {:02X} is not one of 08, 09, 0B, 0C, 0D, 0E", byte(2))};
  if (byte(3) < 1 || byte(3) > Shape::kMaxDims)
    throw FileError{path, 3, fmt::format("IDX array with {} axes; want 1 to {}", byte(3), Shape::kMaxDims)};
  return {byte(2), std::vector<std::int64_t>(byte(3))};
}

Header read_header(const std::string& path, Bytes head) {
  Header header = read_magic(path, head);
  if (head.size() < header.bytes())
    throw FileError{path, fmt::format("expected an IDX header of {} bytes ({} axes), found {} bytes", header.bytes(),
                                      header.extents.size(), head.size())};
  for (std::size_t axis = 0; axis < header.extents.size(); ++axis)
    for (std::size_t i = 0; i < 4; ++i)
      header.extents[axis] =
          header.extents[axis] << 8 | std::to_integer<std::int64_t>(head[kMagicBytes + 4 * axis + i]);
  return header;
}

std::string describe(const Header& header) {
  const bool bytes = header.type == 8;
  const std::size_t axes = header.extents.size();
  return fmt::format("{} (magic 00 00 {:02X} {:02X}, extents {})",
                     bytes && axes == 1 ? "labels" : bytes && axes == 3 ? "images" : "an array", header.type, axes,
                     fmt::join(header.extents, " x "));
}

void check_kind(const std::string& path, const Header& header, IdxKind kind) {
  const std::size_t axes = kind == IdxKind::images ? 3 : 1;
  if (kind == IdxKind::any || (header.type == 8 && header.extents.size() == axes)) return;
  throw FileError{path, fmt::format("holds {}; want {} (magic 00 00 08 {:02X})", describe(header),
                                    kind == IdxKind::images ? "images" : "labels", axes)};
}

/// Size of header and elements together, as the header has it.
std::size_t total_bytes(const std::string& path, const Header& header) {
  std::int64_t size = header.element_bytes();
  for (const std::int64_t extent : header.extents)
    if (__builtin_mul_overflow(size, extent, &size) || size > (std::int64_t{1} << 60))
      throw FileError{path, 4, fmt::format("extents {} are beyond any file", fmt::join(header.extents, " x "))};
  return header.bytes() + static_cast<std::size_t>(size);
}

[[noreturn]] void throw_size(const std::string& path, const Header& header, std::size_t expected,
                             std::string_view found) {
  throw FileError{path,
                  fmt::format("expected {} bytes for {} and its header, found {}", expected, describe(header), found)};
}

template <class T>
void swap_bytes(std::byte* data, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    T word;
    std::memcpy(&word, data + i * static_cast<std::int64_t>(sizeof word), sizeof word);
    word = sizeof word == 8 ? static_cast<T>(__builtin_bswap64(word))
                            : __builtin_bswap32(static_cast<std::uint32_t>(word));
    std::memcpy(data + i * static_cast<std::int64_t>(sizeof word), &word, sizeof word);
  }
}

/// Elements of one or two signed big-endian bytes as int32.
Array widen(const std::byte* data, const Shape& shape, std::int64_t element_bytes) {
  const Array wide = empty(shape, Dtype::int32, get_device("cpu"));
  auto* target = wide.data<std::int32_t>();
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    std::int32_t value = std::to_integer<std::int8_t>(data[i * element_bytes]);
    if (element_bytes == 2) value = value * 256 + std::to_integer<std::int32_t>(data[2 * i + 1]);
    target[i] = value;
  }
  return wide;
}

/// The array whose elements lie in `storage` from `offset` on, as the file has them.
Array decode(const Header& header, std::shared_ptr<Storage> storage, std::int64_t offset) {
  const Shape shape{std::span{header.extents}};
  std::byte* data = storage->data() + offset;
  const Dtype dtype = header.type == 0x0C   ? Dtype::int32
                      : header.type == 0x0D ? Dtype::float32
                      : header.type == 0x0E ? Dtype::float64
                                            : Dtype::uint8;
  if (header.type == 0x09 || header.type == 0x0B) return widen(data, shape, header.element_bytes());
  if (header.element_bytes() == 4) swap_bytes<std::uint32_t>(data, shape.size());
  if (header.element_bytes() == 8) swap_bytes<std::uint64_t>(data, shape.size());
  return Array{std::move(storage), shape, dtype, offset};
}

Array read_plain(InputFile& file, Bytes magic, IdxKind kind) {
  std::byte head[kMaxHeader];
  std::copy(magic.begin(), magic.end(), head);
  const std::size_t wanted = read_magic(file.path(), magic).bytes() - kMagicBytes;
  const std::size_t got = kMagicBytes + file.read({head + kMagicBytes, wanted});
  const Header header = read_header(file.path(), {head, got});
  check_kind(file.path(), header, kind);
  const std::size_t total = total_bytes(file.path(), header);
  if (file.size() && *file.size() != total)
    throw_size(file.path(), header, total, fmt::format("{}", *file.size()));

  const auto storage = get_device("cpu").allocate(total - header.bytes());
  const std::size_t read = file.read({storage->data(), total - header.bytes()});
  std::byte more;
  if (read < total - header.bytes()) throw_size(file.path(), header, total, fmt::format("{}", header.bytes() + read));
  if (file.read({&more, 1}) > 0) throw_size(file.path(), header, total, "more");
  return decode(header, storage, 0);
}

Array read_gzip(const std::string& path, Bytes data, IdxKind kind) {
  std::byte head[kMaxHeader];
  const Header header = read_header(path, {head, gunzip_beginning(path, data, head)});
  check_kind(path, header, kind);
  const std::size_t total = total_bytes(path, header);
  constexpr std::size_t kMaxRatio = 1032;  // of deflate
  if (total / kMaxRatio > data.size())
    throw_size(path, header, total, fmt::format("{} compressed ones, which cannot hold as many", data.size()));
  // The header goes right before an aligned address, so that the elements can stay where they are decompressed.
  const auto storage = get_device("cpu").allocate(total + kAlignment);
  const std::size_t start = static_cast<std::size_t>(kAlignment) - header.bytes();
  gunzip(path, data, {storage->data() + start, total});
  return decode(header, storage, kAlignment);
}

}  // namespace

Array read_idx(const std::string& path, IdxKind kind) {
  InputFile file{path};
  std::byte magic[kMagicBytes];
  const Bytes head{magic, file.read(magic)};
  if (!is_gzip(head)) return read_plain(file, head, kind);
  const InputFile::Content content = file.read_rest(head);
  return read_gzip(path, content.bytes(), kind);
}

}  // namespace renkei::datasets
