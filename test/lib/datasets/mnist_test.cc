#include <catch2/catch.hpp>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/mnist.h>
#include <renkei/lib/datasets/mnist_files.h>
#include <renkei/lib/device/creation.h>

#include "idx_files.h"
#include "loopback_server.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using datasets::find_mnist_files;
using datasets::get_fashion_mnist;
using datasets::get_mnist;
using datasets::MnistOptions;
using datasets::MnistSource;

namespace {

/// Five images of 2 x 2 for training and three for testing; pixels count up from 0.
class SmallSet : public DataFolder {
 public:
  SmallSet() {
    std::string pixels;
    for (int i = 0; i < 20; ++i) pixels += static_cast<char>(i * 13);
    write("train-images-idx3-ubyte", idx(8, {5, 2, 2}, pixels));
    write("train-labels-idx1-ubyte", idx(8, {5}, std::string{"\4\3\2\1\0", 5}));
    write("t10k-images-idx3-ubyte", idx(8, {3, 2, 2}, pixels.substr(0, 12)));
    write("t10k-labels-idx1-ubyte", idx(8, {3}, "\7\x08\x09"));
  }
  void remove(const std::string& name) const { std::filesystem::remove(*this / name); }
};

/// Sets an environment variable (or takes it away) until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_{name} {
    if (const char* before = getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

// Each of these published files is a gzip of the same few bytes; the sums are of the gzip files made here.
MnistSource remote_set(const std::string& url) {
  const std::string sha256 = "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447";  // "hello world\n"
  return {"toy",
          {"/nonexistent/system/folder"},
          {url},
          {{{"train-images", "idx3-ubyte", 12, sha256},
            {"train-labels", "idx1-ubyte", 12, sha256},
            {"t10k-images", "idx3-ubyte", 12, sha256},
            {"t10k-labels", "idx1-ubyte", 12, sha256}}}};
}

std::vector<float> first_image(const TupleDataset& dataset) { return to_vector<float>(dataset.get(0)[0]); }

}  // namespace

TEST_CASE("a folder with the four files gives train and test sets, pixels in [0, 1], labels int32") {
  const SmallSet folder;
  const auto [train, test] = get_mnist({.data_dir = folder.path()});
  CHECK(train.size() == 5);
  CHECK(test.size() == 3);
  const Arrays example = train.get(4);
  CHECK(example[0].shape() == Shape{4});
  CHECK(to_vector<float>(example[0])[3] == 247.0f / 255.0f);
  CHECK(to_vector<std::int32_t>(example[1]) == std::vector<std::int32_t>{0});
  CHECK(to_vector<std::int32_t>(test.get(2)[1]) == std::vector<std::int32_t>{9});
}

TEST_CASE("every spelling of the file names is found, dash or dot, plain or gzip") {
  for (const char separator : {'-', '.'})
    for (const bool packed : {false, true}) {
      const SmallSet original;
      const DataFolder folder;
      for (std::string name : original.names()) {
        const std::string content = read_bytes(original / name);
        name[name.find("-idx")] = separator;
        folder.write(name + (packed ? ".gz" : ""), packed ? gzip(content) : content);
      }
      CHECK(get_mnist({.data_dir = folder.path()}).first.size() == 5);
    }
}

TEST_CASE("image shape, range, dtypes, labels and sizes can be chosen") {
  const SmallSet folder;
  const std::string path = folder.path();
  CHECK(get_mnist({.data_dir = path, .ndim = 2}).first.get(0)[0].shape() == Shape{2, 2});
  CHECK(get_mnist({.data_dir = path, .ndim = 3}).first.get(0)[0].shape() == Shape{1, 2, 2});
  CHECK(first_image(get_mnist({.data_dir = path, .scale = 255.0}).first) == std::vector<float>{0, 13, 26, 39});
  CHECK(get_mnist({.data_dir = path, .dtype = Dtype::float64}).first.get(0)[0].dtype() == Dtype::float64);
  CHECK(get_mnist({.data_dir = path, .label_dtype = Dtype::int64}).first.get(0)[1].dtype() == Dtype::int64);
  CHECK(get_mnist({.data_dir = path, .withlabel = false}).first.get(0).size() == 1);
  const auto [train, test] = get_mnist({.data_dir = path, .train_size = 2, .test_size = 1});
  CHECK(train.size() == 2);
  CHECK(test.size() == 1);
  check_error<ValueError>([&] { get_mnist({.data_dir = path, .train_size = 6}); }, {"train_size", "6", "1 to 5"});
  check_error<ValueError>([&] { get_mnist({.data_dir = path, .test_size = 0}); }, {"test_size", "0", "1 to 3"});
  check_error<ValueError>([&] { get_mnist({.data_dir = path, .ndim = 4}); }, {"ndim", "4"});
  check_error<ValueError>([&] { get_mnist({.data_dir = path, .scale = 0.0}); }, {"scale", "0"});
  check_error<DtypeError>([&] { get_mnist({.data_dir = path, .dtype = Dtype::int32}); }, {"int32"});
}

TEST_CASE("image and label counts that differ are named with both files") {
  const SmallSet folder;
  folder.write("train-labels-idx1-ubyte", idx(8, {4}, "\1\2\3\4"));
  check_error<FileError>(
      [&] { get_mnist({.data_dir = folder.path()}); },
      {folder / "train-images-idx3-ubyte", "5 images", folder / "train-labels-idx1-ubyte", "4 labels"});
}

TEST_CASE("label and image files that changed places, and labels out of range, are named") {
  const SmallSet folder;
  const std::string labels = read_bytes(folder / "t10k-labels-idx1-ubyte");
  folder.write("t10k-labels-idx1-ubyte", read_bytes(folder / "t10k-images-idx3-ubyte"));
  check_error<FileError>([&] { get_mnist({.data_dir = folder.path()}); },
                         {folder / "t10k-labels-idx1-ubyte", "holds images"});
  folder.write("t10k-labels-idx1-ubyte", labels);
  folder.write("t10k-images-idx3-ubyte", labels);
  check_error<FileError>([&] { get_mnist({.data_dir = folder.path()}); },
                         {folder / "t10k-images-idx3-ubyte", "holds labels"});
  const SmallSet other;
  other.write("train-labels-idx1-ubyte", idx(8, {5}, "\1\2\x0a\1\1"));
  check_error<FileError>([&] { get_mnist({.data_dir = other.path()}); }, {"label 10 of example 2", "0 to 9"});
}

TEST_CASE("a damaged file of any of the four is named, whichever thread reads it") {
  for (const std::string name :
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    const SmallSet folder;
    folder.write(name, read_bytes(folder / name) + "x");
    check_error<FileError>([&] { get_mnist({.data_dir = folder.path()}); }, {folder / name, "expected", "found"});
  }
}

TEST_CASE("a data folder that is missing, no folder or incomplete is refused with what was tried") {
  const SmallSet folder;
  check_error<FileError>([&] { get_mnist({.data_dir = folder / "none"}); }, {folder / "none", "No such file", "mnist"});
  check_error<FileError>([&] { get_mnist({.data_dir = folder / "t10k-images-idx3-ubyte"}); }, {"not a folder"});
  folder.remove("t10k-labels-idx1-ubyte");
  check_error<FileError>([&] { get_mnist({.data_dir = folder.path()}); },
                         {folder.path(), "t10k-labels-idx1-ubyte,", "t10k-labels-idx1-ubyte.gz",
                          "t10k-labels.idx1-ubyte,", "t10k-labels.idx1-ubyte.gz"});
}

TEST_CASE("a folder that may not be searched is named with the reason") {
  const SmallSet folder;
  REQUIRE(chmod(folder.path().c_str(), 0) == 0);
  constexpr uid_t kNobody = 65534;  // root may search every folder
  const uid_t before = geteuid();
  if (before == 0 && seteuid(kNobody) != 0) {
    WARN("skipped: running as root, and cannot become somebody else");
    return;
  }
  check_error<FileError>([&] { get_mnist({.data_dir = folder.path()}); }, {folder.path(), "Permission denied"});
  REQUIRE(seteuid(before) == 0);
  chmod(folder.path().c_str(), 0700);
}

TEST_CASE("the cache folder follows the environment") {
  const Variable home{"HOME", "/home/me"};
  const Variable xdg{"XDG_CACHE_HOME", std::nullopt};
  const Variable root{"RENKEI_DATA_ROOT", std::nullopt};
  CHECK(datasets::cache_folder("mnist") == "/home/me/.cache/renkei/mnist");
  const Variable xdg_set{"XDG_CACHE_HOME", "/var/cache/me"};
  CHECK(datasets::cache_folder("mnist") == "/var/cache/me/renkei/mnist");
  const Variable root_set{"RENKEI_DATA_ROOT", "/data"};
  CHECK(datasets::cache_folder("mnist") == "/data/mnist");
}

TEST_CASE("files that are in the cache are used, the others downloaded into it") {
  const TemporaryFolder cache;
  const Variable root{"RENKEI_DATA_ROOT", cache.path()};
  const LoopbackServer server{[](const std::string&) { return LoopbackServer::ok("hello world\n"); }};
  std::filesystem::create_directories(cache / "toy");
  write_bytes(cache / "toy/train-labels-idx1-ubyte", "here");
  const auto paths = find_mnist_files(remote_set(server.url()), "");
  CHECK(paths[0] == cache / "toy/train-images-idx3-ubyte.gz");
  CHECK(paths[1] == cache / "toy/train-labels-idx1-ubyte");
  CHECK(read_bytes(paths[3]) == "hello world\n");
  CHECK(server.requests() == 3);
  CHECK(find_mnist_files(remote_set(server.url()), "") == paths);
  CHECK(server.requests() == 3);
}

TEST_CASE("the system's folder comes before cache and network, if it has all four files") {
  const SmallSet system;
  const TemporaryFolder cache;
  const Variable root{"RENKEI_DATA_ROOT", cache.path()};
  MnistSource source = remote_set("http://127.0.0.1:1/");
  source.folders.push_back(system.path());
  CHECK(find_mnist_files(source, "")[0] == system / "train-images-idx3-ubyte");
  system.remove("t10k-labels-idx1-ubyte");
  CHECK_THROWS_AS(find_mnist_files(source, ""), Error);
}

TEST_CASE("without a network one line says what was tried and what to do") {
  const TemporaryFolder cache;
  const Variable root{"RENKEI_DATA_ROOT", cache.path()};
  const std::string text = error_text([] { find_mnist_files(remote_set("http://127.0.0.1:1/"), ""); });
  for (const std::string& piece : {std::string{"http://127.0.0.1:1/train-images-idx3-ubyte.gz"}, cache / "toy",
                                   std::string{"/nonexistent/system/folder"}, std::string{"data_dir"}})
    CHECK_THAT(text, Catch::Contains(piece));
  CHECK(text.find('\n') == std::string::npos);
}

TEST_CASE("Fashion-MNIST of Debian has the counts, labels and pixels published") {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")) {
    WARN("skipped: the package dataset-fashion-mnist is not installed");
    return;
  }
  const auto [train, test] = get_fashion_mnist();
  CHECK(train.size() == 60000);
  CHECK(test.size() == 10000);
  const std::vector<std::int64_t> first{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(to_vector<std::int32_t>(train.gather(first)[1]) == std::vector<std::int32_t>{9, 0, 0, 3, 0, 2, 7, 2, 5, 5});
  CHECK(to_vector<std::int32_t>(test.gather(first)[1]) == std::vector<std::int32_t>{9, 2, 1, 1, 6, 1, 4, 6, 5, 7});
  std::vector<std::int64_t> part(2000);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<std::int64_t>(i);
  double sum = 0.0;
  for (const float pixel : to_vector<float>(train.gather(part)[0])) sum += pixel;
  CHECK(sum / (2000 * 784) == Approx(0.2839382979374739).epsilon(1e-7));
}
