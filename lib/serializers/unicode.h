// UTF-8, which std::string holds, from and to UTF-32, which NumPy stores.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renkei {

/// Null for text that is not valid UTF-8 (overlong forms and surrogates included).
std::optional<std::u32string> utf32_of(std::string_view utf8);

/// Null for surrogates and for values beyond U+10FFFF.
std::optional<std::string> utf8_of(std::u32string_view utf32);

}  // namespace renkei
