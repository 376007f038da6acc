// Archives with any bytes as members, as a damaged or foreign file might have them; checksums are right.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <libdeflate.h>

#include <renkei/lib/serializers/zip_format.h>

namespace renkei::test {

inline std::string npy(const std::string& dict, const std::string& elements, char version = 1) {
  const std::string text = dict + "\n";
  std::string image = "\x93NUMPY" + std::string{version, '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) image += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return image + text + elements;
}

inline std::string dict(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

/// Stored members of the given names and bytes.
inline std::string archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string bytes;
  std::vector<ZipEntry> entries;
  for (const auto& [name, content] : members) {
    entries.push_back({name, false, libdeflate_crc32(0, content.data(), content.size()), content.size(),
                       content.size(), bytes.size()});
    bytes += zip_local_header(entries.back()) + content;
  }
  const std::size_t offset = bytes.size();
  return bytes + zip_directory(entries, offset, 0);
}

}  // namespace renkei::test
