#include <renkei/lib/serializers/zip_format.h>

#include <algorithm>

namespace renkei {
namespace {

constexpr std::uint64_t kMax16 = 0xffff, kMax32 = 0xffffffff;
constexpr std::uint16_t kVersion20 = 20, kVersion45 = 45;  // needed to extract: deflate; 64-bit fields
constexpr std::uint16_t kUnix = 3 << 8;
constexpr std::uint16_t kUtf8Name = 1 << 11;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kFirstDay = 0x0021;        // 1980-01-01, as NumPy writes: equal contents give equal files
constexpr std::uint32_t kReadable = 0100600u << 16;  // a regular file of its owner

/// Little-endian fields in a row.
class Record {
 public:
  Record& u16(std::uint64_t value) { return append(value, 2); }
  Record& u32(std::uint64_t value) { return append(value, 4); }
  Record& u64(std::uint64_t value) { return append(value, 8); }
  Record& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& append(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  std::string bytes_;
};

/// The extra field with the values that do not fit into 32 bits; empty when there are none.
std::string zip64_extra(const std::vector<std::uint64_t>& values) {
  if (values.empty()) return {};
  Record extra;
  extra.u16(1).u16(8 * values.size());
  for (const std::uint64_t value : values) extra.u64(value);
  return extra.bytes();
}

/// version, flags, method, time, date, crc, sizes, length of name, length of extra: in both headers alike.
void common_fields(Record& record, const ZipEntry& entry, std::string_view extra, bool local_sizes_wide) {
  const bool ascii = std::all_of(entry.name.begin(), entry.name.end(), [](char c) { return (c & 0x80) == 0; });
  const auto narrow = [&](std::uint64_t size) { return local_sizes_wide ? kMax32 : std::min(size, kMax32); };
  record.u16(extra.empty() ? kVersion20 : kVersion45).u16(ascii ? 0 : kUtf8Name).u16(entry.deflated ? kDeflated : 0);
  record.u16(0).u16(kFirstDay).u32(entry.crc).u32(narrow(entry.packed_size)).u32(narrow(entry.size));
  record.u16(entry.name.size()).u16(extra.size());
}

std::string central_header(const ZipEntry& entry) {
  std::vector<std::uint64_t> wide;
  for (const std::uint64_t value : {entry.size, entry.packed_size, entry.offset})
    if (value >= kMax32) wide.push_back(value);
  const std::string extra = zip64_extra(wide);
  Record record;
  record.text("PK\x01\x02").u16(kUnix | kVersion45);
  common_fields(record, entry, extra, false);
  record.u16(0).u16(0).u16(0).u32(kReadable).u32(std::min(entry.offset, kMax32));
  return record.text(entry.name).text(extra).bytes();
}

}  // namespace

std::string zip_local_header(const ZipEntry& entry) {
  // A local header with one wide size must have both.
  const bool wide = std::max(entry.size, entry.packed_size) >= kMax32;
  const std::string extra = wide ? zip64_extra({entry.size, entry.packed_size}) : std::string{};
  Record record;
  record.text("PK\x03\x04");
  common_fields(record, entry, extra, wide);
  return record.text(entry.name).text(extra).bytes();
}

std::string zip_directory(const std::vector<ZipEntry>& entries, std::uint64_t offset, std::uint16_t comment_bytes) {
  Record record;
  for (const ZipEntry& entry : entries) record.text(central_header(entry));
  const std::uint64_t count = entries.size(), bytes = record.bytes().size();
  if (count >= kMax16 || bytes >= kMax32 || offset >= kMax32) {
    record.text("PK\x06\x06").u64(44).u16(kUnix | kVersion45).u16(kVersion45).u32(0).u32(0);
    record.u64(count).u64(count).u64(bytes).u64(offset);
    record.text("PK\x06\x07").u32(0).u64(offset + bytes).u32(1);
  }
  record.text("PK\x05\x06").u16(0).u16(0).u16(std::min(count, kMax16)).u16(std::min(count, kMax16));
  record.u32(std::min(bytes, kMax32)).u32(std::min(offset, kMax32)).u16(comment_bytes);
  return record.bytes();
}

}  // namespace renkei
