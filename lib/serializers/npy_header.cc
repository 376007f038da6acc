#include <renkei/lib/serializers/npy.h>

#include <array>
#include <charconv>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

/// The literals a header may hold: a dict of strings to a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const NpySource& source) : text_{text}, source_{source} {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        skip_spaces();
        if (rest().starts_with('[')) source_.fail("has records (a structured type), which are not supported");
        header.descr = string();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail(fmt::format("unknown or repeated key {:?}", key));
      }
      if (!accept(',') && !rest().starts_with('}')) fail("expected , or }");
    }
    skip_spaces();
    if (at_ != text_.size()) fail("text after the dict");
    if (!descr || !order || !shape) fail("want the keys descr, fortran_order and shape");
    return header;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  [[noreturn]] void fail(std::string_view problem) const {
    source_.fail(fmt::format("npy header, character {}: {}", at_, problem));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char wanted) {
    skip_spaces();
    if (!rest().starts_with(wanted)) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected {}", wanted));
  }

  std::string string() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("string without an end");
    const std::string_view body = text_.substr(at_ + 1, end - at_ - 1);
    for (const char c : body)
      if (c < ' ' || c > '~' || c == '\\') fail("unexpected character in a string");
    at_ = end + 1;
    return std::string{body};
  }

  bool boolean() {
    skip_spaces();
    for (const auto& [name, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!rest().starts_with(name)) continue;
      at_ += std::string_view{name}.size();
      return value;
    }
    fail("expected True or False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t extent = -1;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (status != std::errc{} || extent < 0) fail("expected an extent between 0 and 2^63 - 1");
      at_ = static_cast<std::size_t>(end - text_.data());
      extents.push_back(extent);
      const bool comma = accept(',');
      if (!comma && (extents.size() < 2 || !rest().starts_with(')'))) fail("expected , or )");
    }
    return extents;
  }

  std::string_view text_;
  const NpySource& source_;
  std::size_t at_ = 0;
};

}  // namespace

void NpySource::fail(std::string_view problem) const { throw FileError{origin_, problem}; }

void NpySource::read(std::span<std::byte> target) {
  if (static_cast<std::int64_t>(target.size()) > remaining_)
    fail(fmt::format("ends too early: {} bytes wanted, {} left", target.size(), remaining_));
  remaining_ -= static_cast<std::int64_t>(target.size());
  if (!target.empty()) do_read(target);
}

NpyHeader read_npy_header(NpySource& source) {
  std::array<unsigned char, 8> preamble{};
  source.read(std::as_writable_bytes(std::span{preamble}));
  if (std::string_view{reinterpret_cast<const char*>(preamble.data()), 6} != "\x93NUMPY")
    source.fail("is not in the npy format: it does not start with \\x93NUMPY");
  if (preamble[6] < 1 || preamble[6] > 3 || preamble[7] != 0)
    source.fail(fmt::format("npy version {}.{} is not supported (want 1.0, 2.0 or 3.0)", preamble[6], preamble[7]));
  std::array<unsigned char, 4> width{};
  source.read(std::as_writable_bytes(std::span{width}.first(preamble[6] == 1 ? 2 : 4)));
  const std::uint32_t length = width[0] | width[1] << 8 | width[2] << 16 | static_cast<std::uint32_t>(width[3]) << 24;
  // Before memory is asked for: a damaged length must not take 4 GB.
  if (length > source.remaining())
    source.fail(fmt::format("npy header of {} bytes, but only {} bytes are left", length, source.remaining()));
  std::string text(length, '\0');
  source.read(std::as_writable_bytes(std::span{text}));
  return HeaderParser{text, source}.parse();
}

}  // namespace renkei
