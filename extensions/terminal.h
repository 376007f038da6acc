// What the printing extensions know of terminals. Files and pipes get plain text.
#pragma once

#include <cstdio>
#include <string_view>

namespace renkei::extensions {

bool is_terminal(std::FILE* stream);

inline constexpr std::string_view kClearToEnd = "\033[J";

}  // namespace renkei::extensions
