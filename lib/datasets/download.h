// Downloading files of known content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace renkei::datasets {

struct RemoteFile {
  std::vector<std::string> urls;  ///< tried one after the other
  std::string sha256;             ///< in lower-case hexadecimal digits
  std::int64_t bytes = 0;
};

/// No wait is without limit.
struct DownloadLimits {
  long connect_seconds = 10;  ///< until a connection stands, names looked up included
  long stall_seconds = 20;    ///< without a byte
  long total_seconds = 1800;  ///< for one file
};

/// Puts the file at `path`, whole or not at all, making folders as needed. Size and SHA-256 are checked before it gets
/// its name. Draws a progress bar if standard error is a terminal. Throws FileError naming the path and, for each
/// address, why it failed.
void download(const RemoteFile& file, const std::string& path, const DownloadLimits& limits = {});

}  // namespace renkei::datasets
