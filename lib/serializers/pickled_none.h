// The one pickle this library knows: a NumPy array of shape () that holds None. Chainer stores a parameter without
// a shape this way. A pickle is a program; any other is refused unread.
#pragma once

#include <string>
#include <string_view>

namespace renkei {

/// As numpy 1.x writes it (protocol 3); every version of NumPy reads it.
std::string pickled_none();

/// Whether these are the bytes that some version of NumPy writes for None (protocols 2 to 5).
bool is_pickled_none(std::string_view pickle);

}  // namespace renkei
