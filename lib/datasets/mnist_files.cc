#include <renkei/lib/datasets/mnist_files.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/download.h>

namespace renkei::datasets {
namespace {

std::string published_name(const MnistFile& file) { return fmt::format("{}-{}.gz", file.part, file.suffix); }

std::vector<std::string> spellings(const MnistFile& file) {
  std::vector<std::string> names;
  for (const char separator : {'-', '.'})
    for (const char* ending : {"", ".gz"})
      names.push_back(fmt::format("{}{}{}{}", file.part, separator, file.suffix, ending));
  return names;
}

/// The path of the first spelling that is there.
std::optional<std::string> find(const MnistFile& file, const std::string& folder) {
  for (const std::string& name : spellings(file)) {
    const std::filesystem::path path = std::filesystem::path{folder} / name;
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (status.type() == std::filesystem::file_type::none) throw FileError{path.string(), failed.message()};
    if (std::filesystem::exists(status)) return path.string();
  }
  return std::nullopt;
}

std::array<std::string, 4> find_in(const MnistSource& source, const std::string& folder) {
  std::error_code failed;
  const auto status = std::filesystem::status(folder, failed);
  const auto want = [&] { return fmt::format("want a folder with the four files of {}", source.name); };
  if (!std::filesystem::exists(status)) throw FileError{folder, fmt::format("{}; {}", failed.message(), want())};
  if (!std::filesystem::is_directory(status)) throw FileError{folder, fmt::format("not a folder; {}", want())};
  std::array<std::string, 4> paths;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto path = find(source.files[k], folder);
    if (!path)
      throw FileError{folder, fmt::format("none of {} is there", fmt::join(spellings(source.files[k]), ", "))};
    paths[k] = *path;
  }
  return paths;
}

/// The files in one of the system's folders, if all are there.
std::optional<std::array<std::string, 4>> find_in_system(const MnistSource& source) {
  for (const std::string& folder : source.folders) {
    std::array<std::string, 4> paths;
    std::size_t found = 0;
    for (const MnistFile& file : source.files)
      if (const auto path = find(file, folder)) paths[found++] = *path;
    if (found == paths.size()) return paths;
  }
  return std::nullopt;
}

std::string find_or_download(const MnistSource& source, const MnistFile& file, const std::string& cache) {
  if (const auto path = find(file, cache)) return *path;
  const std::string name = published_name(file), path = (std::filesystem::path{cache} / name).string();
  RemoteFile remote{{}, file.sha256, file.bytes};
  for (const std::string& base : source.base_urls) remote.urls.push_back(base + name);
  try {
    download(remote, path);
  } catch (Error& error) {
    std::string looked = cache;
    for (const std::string& folder : source.folders) looked += fmt::format(" and {}", folder);
    throw Error{fmt::format("{}; not found in {} either. Without a network, put the four files of {} into a folder and "
                            "name it as data_dir (--data-dir), or into {}",
                            error.what(), looked, source.name, cache)};
  }
  return path;
}

}  // namespace

std::array<std::string, 4> find_mnist_files(const MnistSource& source, const std::string& data_dir) {
  if (!data_dir.empty()) return find_in(source, data_dir);
  if (const auto paths = find_in_system(source)) return *paths;
  const std::string cache = cache_folder(source.name);
  std::array<std::string, 4> paths;
  for (std::size_t k = 0; k < paths.size(); ++k) paths[k] = find_or_download(source, source.files[k], cache);
  return paths;
}

std::string cache_folder(const std::string& name) {
  const auto variable = [](const char* key) -> std::string {
    const char* value = std::getenv(key);
    return value ? value : "";
  };
  if (const std::string root = variable("RENKEI_DATA_ROOT"); !root.empty()) return root + "/" + name;
  if (const std::string root = variable("XDG_CACHE_HOME"); !root.empty()) return root + "/renkei/" + name;
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/renkei/" + name;
  throw Error{fmt::format("{}: no folder for downloads; set RENKEI_DATA_ROOT, or name one with data_dir", name)};
}

// Sizes and SHA-256 sums as the collections that check them publish them (TensorFlow Datasets, url_checksums).
const MnistSource& mnist_source() {
  static const MnistSource source{
      "mnist",
      {},
      {"http://yann.lecun.com/exdb/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/",
       "https://ossci-datasets.s3.amazonaws.com/mnist/"},
      {{{"train-images", "idx3-ubyte", 9912422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
        {"train-labels", "idx1-ubyte", 28881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
        {"t10k-images", "idx3-ubyte", 1648877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
        {"t10k-labels", "idx1-ubyte", 4542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"}}}};
  return source;
}

const MnistSource& fashion_mnist_source() {
  static const MnistSource source{
      "fashion-mnist",
      {"/usr/share/datasets/fashion-mnist"},  // Debian's package dataset-fashion-mnist
      {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
      {{{"train-images", "idx3-ubyte", 26421880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84"},
        {"train-labels", "idx1-ubyte", 29515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845"},
        {"t10k-images", "idx3-ubyte", 4422102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073"},
        {"t10k-labels", "idx1-ubyte", 5148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}}}};
  return source;
}

}  // namespace renkei::datasets
