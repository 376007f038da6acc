#include <renkei/lib/serializers/unicode.h>

namespace renkei {
namespace {

bool is_scalar_value(char32_t point) { return point < 0xd800 || (point > 0xdfff && point <= 0x10ffff); }

}  // namespace

std::optional<std::u32string> utf32_of(std::string_view utf8) {
  std::u32string result;
  result.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i++]);
    if (first < 0x80) {
      result.push_back(first);
      continue;
    }
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4) return std::nullopt;
    char32_t point = first & (0x3fu >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == utf8.size() || (utf8[i] & 0xc0) != 0x80) return std::nullopt;
      point = point << 6 | static_cast<char32_t>(utf8[i] & 0x3f);
    }
    const char32_t smallest = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
    if (point < smallest || !is_scalar_value(point)) return std::nullopt;
    result.push_back(point);
  }
  return result;
}

std::optional<std::string> utf8_of(std::u32string_view utf32) {
  std::string result;
  result.reserve(utf32.size());
  for (const char32_t point : utf32) {
    if (!is_scalar_value(point)) return std::nullopt;
    if (point < 0x80) {
      result.push_back(static_cast<char>(point));
      continue;
    }
    const int more = point >= 0x10000 ? 3 : point >= 0x800 ? 2 : 1;
    const char32_t mark = more == 3 ? 0xf0 : more == 2 ? 0xe0 : 0xc0;
    result.push_back(static_cast<char>(mark | point >> (6 * more)));
    for (int k = more - 1; k >= 0; --k) result.push_back(static_cast<char>(0x80 | ((point >> (6 * k)) & 0x3f)));
  }
  return result;
}

}  // namespace renkei
