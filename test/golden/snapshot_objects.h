// The objects that Chainer saved into the files of snapshot_formats, built of Renkei's parts.
#pragma once

#include <functional>
#include <string>

#include "golden/golden.h"

namespace golden {

/// Loads the file at `path` into the object it was made from, strictly, and compares what the object then saves with
/// the file. Empty for files that hold no object (`file` is the name in the folder).
std::function<void(Outcome&)> loading_case(const std::string& file, const std::string& path);

}  // namespace golden
