#include <renkei/lib/serializers/npz.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zip.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/file_checksum.h>
#include <renkei/lib/serializers/npy.h>

namespace renkei {
namespace {

constexpr std::string_view kSuffix = ".npy";
/// Deflate cannot shrink more than this: a larger size in a directory is a lie, and is not allocated.
constexpr std::uint64_t kMostShrunk = 1032;

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(libdeflate_decompressor* inflater) const { libdeflate_free_decompressor(inflater); }
};
template <class T> using Owned = std::unique_ptr<T, Close>;

std::string text_of_zip_error(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

/// The elements of a member. Both ways of storing it end in the same place: read in order, then checked.
class MemberSource : public NpySource {
 public:
  MemberSource(std::string origin, zip_t* archive, const zip_stat_t& facts)
      : NpySource{std::move(origin), static_cast<std::int64_t>(facts.size)}, wanted_crc_{facts.crc} {
    file_.reset(zip_fopen_index(archive, facts.index, ZIP_FL_COMPRESSED));
    if (!file_) fail(zip_strerror(archive));
    if (facts.comp_method == ZIP_CM_DEFLATE) inflate(facts);
  }

  /// Throws FileError if the bytes read are not those that were written.
  void check() {
    if (crc_ != wanted_crc_)
      fail(fmt::format("the checksum of its bytes is {:08x}, the directory says {:08x}", crc_, wanted_crc_));
  }

 private:
  void do_read(std::span<std::byte> target) override {
    if (inflated_) {
      std::memcpy(target.data(), inflated_.get() + position_, target.size());
      position_ += target.size();
    } else {
      fetch(target);
    }
    crc_ = libdeflate_crc32(crc_, target.data(), target.size());
  }

  void fetch(std::span<std::byte> target) {
    while (!target.empty()) {
      const zip_int64_t got = zip_fread(file_.get(), target.data(), target.size());
      if (got <= 0) fail(fmt::format("cannot be read: {}", got ? zip_file_strerror(file_.get()) : "ends too early"));
      target = target.subspan(static_cast<std::size_t>(got));
    }
  }

  void inflate(const zip_stat_t& facts) {
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(facts.comp_size);
    fetch({packed.get(), facts.comp_size});
    inflated_ = std::make_unique_for_overwrite<std::byte[]>(facts.size);
    const Owned<libdeflate_decompressor> inflater{libdeflate_alloc_decompressor()};
    std::size_t consumed = 0, made = 0;
    const auto result = libdeflate_deflate_decompress_ex(inflater.get(), packed.get(), facts.comp_size,
                                                         inflated_.get(), facts.size, &consumed, &made);
    if (result != LIBDEFLATE_SUCCESS || consumed != facts.comp_size || made != facts.size)
      fail("its deflated bytes are damaged");
  }

  Owned<zip_file_t> file_;
  std::unique_ptr<std::byte[]> inflated_;
  std::size_t position_ = 0;
  std::uint32_t crc_ = 0, wanted_crc_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_{path} {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw FileError{path, "cannot be opened: " + std::generic_category().message(errno)};
    bool checked = false;
    try {
      checked = open(file);
    } catch (...) {
      ::close(file);
      throw;
    }
    int comment = 0;
    zip_get_archive_comment(archive_.get(), &comment, ZIP_FL_ENC_RAW);
    // NumPy and Chainer write none, so this one was ours before something changed it.
    if (comment > 0 && !checked) throw FileError{path, "ends in a comment that is no checksum of Renkei; damaged?"};
  }

  zip_int64_t count() const { return zip_get_num_entries(archive_.get(), 0); }

  zip_stat_t facts(zip_int64_t index) const {
    zip_stat_t facts;
    if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(index), 0, &facts) != 0)
      throw FileError{path_, fmt::format("member {}: {}", index, zip_strerror(archive_.get()))};
    constexpr zip_uint64_t kWanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC |
                                     ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    const std::string origin = origin_of(facts);
    if ((facts.valid & kWanted) != kWanted) throw FileError{origin, "its directory entry is incomplete"};
    if (!std::string_view{facts.name}.ends_with(kSuffix)) throw FileError{origin, "is not an .npy member"};
    if (facts.encryption_method != ZIP_EM_NONE) throw FileError{origin, "is encrypted"};
    if (facts.comp_method != ZIP_CM_STORE && facts.comp_method != ZIP_CM_DEFLATE)
      throw FileError{origin, fmt::format("compression method {} is not supported (want 0, stored, or 8, deflated)",
                                          facts.comp_method)};
    const bool stored = facts.comp_method == ZIP_CM_STORE;
    const bool possible = stored ? facts.size == facts.comp_size : facts.size / kMostShrunk <= facts.comp_size;
    if (facts.comp_size > size_ || !possible)
      throw FileError{origin, fmt::format("claims {} bytes, {} in the file of {} bytes", facts.size, facts.comp_size,
                                          size_)};
    return facts;
  }

  std::string key_of(const zip_stat_t& facts) const {
    std::string_view name = facts.name;
    name.remove_suffix(kSuffix.size());
    return std::string{name};
  }

  MemberSource open(const zip_stat_t& facts) const { return {origin_of(facts), archive_.get(), facts}; }

 private:
  /// Takes over `file` unless it throws. Returns whether the file has a checksum, which is right then.
  bool open(int file) {
    struct stat facts {};
    if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) throw FileError{path_, "is not a regular file"};
    size_ = static_cast<std::uint64_t>(facts.st_size);
    const bool checked = check_file_checksum(path_, file, size_);
    int code = 0;
    archive_.reset(zip_fdopen(file, ZIP_CHECKCONS, &code));
    if (!archive_)
      throw FileError{path_, fmt::format("is not a whole npz (zip) file; damaged or cut short? ({} bytes; {})", size_,
                                         text_of_zip_error(code))};
    return checked;
  }

  std::string origin_of(const zip_stat_t& facts) const {
    return fmt::format("{}: member '{}'", path_, facts.valid & ZIP_STAT_NAME ? facts.name : "?");
  }

  std::string path_;
  std::uint64_t size_ = 0;
  Owned<zip_t> archive_;
};

}  // namespace

Dictionary read_npz(const std::string& path) {
  const Reader reader{path};
  Dictionary dictionary;
  for (zip_int64_t i = 0; i < reader.count(); ++i) {
    const zip_stat_t facts = reader.facts(i);
    MemberSource source = reader.open(facts);
    Value value = read_npy(source);
    source.check();
    if (!dictionary.emplace(reader.key_of(facts), std::move(value)).second) source.fail("is in the file twice");
  }
  return dictionary;
}

std::vector<NpzMember> list_npz(const std::string& path) {
  const Reader reader{path};
  std::vector<NpzMember> members;
  for (zip_int64_t i = 0; i < reader.count(); ++i) {
    const zip_stat_t facts = reader.facts(i);
    MemberSource source = reader.open(facts);
    const NpyHeader header = read_npy_header(source);
    members.push_back({reader.key_of(facts), header.descr, header.shape, header.fortran_order,
                       facts.comp_method == ZIP_CM_DEFLATE});
  }
  return members;
}

}  // namespace renkei
