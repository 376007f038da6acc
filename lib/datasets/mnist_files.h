// Where the four files of a data set like MNIST are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace renkei::datasets {

struct MnistFile {
  std::string part;    ///< "train-images"
  std::string suffix;  ///< "idx3-ubyte"
  std::int64_t bytes;  ///< of the compressed file, as published
  std::string sha256;
};

struct MnistSource {
  std::string name;                   ///< "fashion-mnist"
  std::vector<std::string> folders;   ///< of the system
  std::vector<std::string> base_urls; ///< ending in a slash
  std::array<MnistFile, 4> files;     ///< train images, train labels, test images, test labels
};

const MnistSource& mnist_source();
const MnistSource& fashion_mnist_source();

/// Paths in the order of MnistSource::files. With a `data_dir` all four are there or it is a FileError that lists what
/// was tried; without one the system's folders and the cache are searched, and what is missing is downloaded.
std::array<std::string, 4> find_mnist_files(const MnistSource& source, const std::string& data_dir);

/// Where downloads of `name` go. Throws Error if the environment has neither RENKEI_DATA_ROOT nor XDG_CACHE_HOME nor
/// HOME.
std::string cache_folder(const std::string& name);

}  // namespace renkei::datasets
