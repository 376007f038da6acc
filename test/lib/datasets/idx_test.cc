#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <fstream>
#include <random>
#include <thread>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/idx.h>
#include <renkei/lib/device/creation.h>

#include "idx_files.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using datasets::IdxKind;
using datasets::read_idx;

namespace {

using namespace std::string_literals;

const std::string kImages = idx(8, {3, 2, 4}, counting(24));
const std::string kLabels = idx(8, {5}, "\5\4\3\2\1");

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

TEST_CASE("images and labels are read, plain and gzip, to the last byte") {
  const DataFolder folder;
  for (const bool packed : {false, true}) {
    const Array images = read_idx(folder.write("images", packed ? gzip(kImages) : kImages), IdxKind::images);
    CHECK(images.shape() == Shape{3, 2, 4});
    CHECK(to_vector<std::uint8_t>(images) == bytes_of(counting(24)));
    const Array labels = read_idx(folder.write("labels", packed ? gzip(kLabels) : kLabels), IdxKind::labels);
    CHECK(labels.shape() == Shape{5});
    CHECK(to_vector<std::uint8_t>(labels) == std::vector<std::uint8_t>{5, 4, 3, 2, 1});
  }
}

TEST_CASE("all element types are read, big-endian, plain and gzip") {
  const DataFolder folder;
  for (const bool packed : {false, true}) {
    const auto read = [&](int type, std::uint32_t n, const std::string& elements) {
      const std::string file = idx(type, {n}, elements);
      return read_idx(folder.write("file", packed ? gzip(file) : file));
    };
    CHECK(to_vector<std::uint8_t>(read(0x08, 2, "\xff\x01")) == std::vector<std::uint8_t>{255, 1});
    CHECK(to_vector<std::int32_t>(read(0x09, 2, "\xff\x01")) == std::vector<std::int32_t>{-1, 1});
    CHECK(to_vector<std::int32_t>(read(0x0B, 2, "\xff\xfe\x01\x02")) == std::vector<std::int32_t>{-2, 258});
    CHECK(to_vector<std::int32_t>(read(0x0C, 2, "\xff\xff\xff\xfe\0\0\1\2"s)) == std::vector<std::int32_t>{-2, 258});
    CHECK(to_vector<float>(read(0x0D, 2, "\x3f\xc0\0\0\xc0\0\0\0"s)) == std::vector<float>{1.5f, -2.0f});
    CHECK(to_vector<double>(read(0x0E, 1, "\x3f\xf8\0\0\0\0\0\0"s)) == std::vector<double>{1.5});
  }
}

TEST_CASE("arrays of one to eight axes and without elements are read") {
  const DataFolder folder;
  for (std::size_t axes = 1; axes <= 8; ++axes) {
    std::vector<std::uint32_t> extents(axes, 1);
    extents.back() = 3;
    for (const bool packed : {false, true}) {
      const std::string file = idx(0x0E, extents, std::string(24, '\0'));
      CHECK(read_idx(folder.write("file", packed ? gzip(file) : file)).ndim() == static_cast<int>(axes));
    }
  }
  CHECK(read_idx(folder.write("file", idx(8, {0, 28, 28}, ""))).shape() == Shape{0, 28, 28});
  CHECK(read_idx(folder.write("file", gzip(idx(8, {0}, "")))).shape() == Shape{0});
}

TEST_CASE("a magic number in the wrong byte order is refused") {
  const DataFolder folder;
  std::string file = kImages;
  file.replace(0, 4, "\3\x08\0\0"s);
  const std::string path = folder.write("images", file);
  check_error<FileError>([&] { read_idx(path); }, {path, "03 08 00 00", "swapped"});
}

TEST_CASE("unknown types, axes and magic numbers are refused by name") {
  const DataFolder folder;
  const std::string path = folder.write("file", idx(0x0A, {1}, "x"));
  check_error<FileError>([&] { read_idx(path); }, {path, "offset 2", "type 0A"});
  for (const int type : {0x00, 0x07, 0x0F, 0xFF}) {
    folder.write("file", idx(type, {1}, "x"));
    CHECK_THROWS_AS(read_idx(path), FileError);
  }
  folder.write("file", "\0\0\x08\0abcd"s);
  check_error<FileError>([&] { read_idx(path); }, {"0 axes"});
  folder.write("file", idx(8, std::vector<std::uint32_t>(9, 1), "x"));
  check_error<FileError>([&] { read_idx(path); }, {"9 axes", "1 to 8"});
  folder.write("file", "\x89PNG....");
  check_error<FileError>([&] { read_idx(path); }, {"not an IDX file", "89 50 4E 47"});
}

TEST_CASE("labels given as images are named as such, and the other way round") {
  const DataFolder folder;
  const std::string images = folder.write("i", kImages), labels = folder.write("l", gzip(kLabels));
  check_error<FileError>([&] { read_idx(labels, IdxKind::images); },
                         {labels, "holds labels", "00 00 08 01", "want images", "00 00 08 03"});
  check_error<FileError>([&] { read_idx(images, IdxKind::labels); },
                         {images, "holds images", "3 x 2 x 4", "want labels"});
  check_error<FileError>([&] { read_idx(folder.write("f", idx(0x0D, {1, 1, 1}, "abcd")), IdxKind::images); },
                         {"holds an array", "00 00 0D 03"});
}

TEST_CASE("a file shorter than its header says is refused with expected and actual bytes") {
  const DataFolder folder;
  const std::string path = folder / "images";
  for (const bool packed : {false, true}) {
    std::string file = idx(8, {60000, 28, 28}, std::string(59999 * 784 + 392, 'x'));
    folder.write("images", packed ? gzip(file) : file);
    check_error<FileError>([&] { read_idx(path); }, {path, "expected 47040016", "found 47039624"});
    file.resize(16);
    folder.write("images", packed ? gzip(file) : file);
    check_error<FileError>([&] { read_idx(path); }, {path, "47040016"});
  }
}

TEST_CASE("files of 0 to 15 bytes each give a clear error") {
  const DataFolder folder;
  const std::string path = folder / "images";
  for (const bool packed : {false, true})
    for (std::size_t size = 0; size < 16; ++size) {
      const std::string file = kImages.substr(0, size);
      folder.write("images", packed ? gzip(file) : file);
      check_error<FileError>([&] { read_idx(path, IdxKind::images); },
                             {path, "header of", "found " + std::to_string(size) + " bytes"});
    }
}

TEST_CASE("a file longer than its header says is refused") {
  const DataFolder folder;
  const std::string path = folder.write("images", kImages + "x");
  check_error<FileError>([&] { read_idx(path); }, {path, "expected 40", "found 41"});
  folder.write("images", gzip(kImages + "xyz"));
  check_error<FileError>([&] { read_idx(path); }, {path, "expected 40", "found 43"});
}

TEST_CASE("extents beyond any file are refused without asking for memory") {
  const DataFolder folder;
  const std::string path = folder.write("images", idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, "x"));
  check_error<FileError>([&] { read_idx(path); }, {path, "offset 4", "4294967295 x 4294967295"});
  folder.write("images", gzip(idx(8, {0xffffffff, 1000, 1000}, "x")));
  check_error<FileError>([&] { read_idx(path); }, {path, "cannot hold"});
}

TEST_CASE("gzip data that is cut off, damaged or followed by something is refused with the reason") {
  const DataFolder folder;
  const std::string path = folder / "images.gz";
  const std::string packed = gzip(idx(8, {100, 10, 10}, [] {
    std::mt19937 random{1};
    std::string noise;
    for (int i = 0; i < 10000; ++i) noise += static_cast<char>(random());
    return noise;
  }()));
  folder.write("images.gz", packed.substr(0, packed.size() / 2));
  check_error<FileError>([&] { read_idx(path); }, {path, "cut off", "of 10016 bytes"});
  folder.write("images.gz", packed.substr(0, packed.size() - 1));
  check_error<FileError>([&] { read_idx(path); }, {path, "cut off"});
  folder.write("images.gz", packed.substr(0, 11));
  check_error<FileError>([&] { read_idx(path); }, {path});

  std::string flipped = packed;
  flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 1);
  folder.write("images.gz", flipped);
  check_error<FileError>([&] { read_idx(path); }, {path, "damaged"});
  std::string checksum = packed;
  checksum[packed.size() - 6] = static_cast<char>(checksum[packed.size() - 6] ^ 1);
  folder.write("images.gz", checksum);
  check_error<FileError>([&] { read_idx(path); }, {path, "checksum"});
  std::string length = packed;
  length[packed.size() - 2] = static_cast<char>(length[packed.size() - 2] ^ 1);
  folder.write("images.gz", length);
  check_error<FileError>([&] { read_idx(path); }, {path, "damaged", "length"});

  folder.write("images.gz", packed + "garbage");
  check_error<FileError>([&] { read_idx(path); }, {path, "7 bytes after the end"});
  folder.write("images.gz", packed + packed);
  check_error<FileError>([&] { read_idx(path); }, {path, "after the end"});
}

TEST_CASE("10 000 mutated files either load or give an Error") {
  const DataFolder folder;
  const std::string path = folder / "f";
  const std::string originals[]{kImages, gzip(kImages), idx(0x0D, {2, 3}, counting(24)), gzip(kLabels)};
  std::mt19937 random{3};
  int loaded = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string file = originals[random() % 4];
    for (int k = 0; k <= static_cast<int>(random() % 3); ++k)
      file[random() % file.size()] = static_cast<char>(random());
    if (random() % 4 == 0) file.resize(random() % file.size());
    folder.write("f", file);
    try {
      read_idx(path);
      ++loaded;
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(loaded + refused == 10000);
  CHECK(loaded > 100);
  CHECK(refused > 1000);
}

TEST_CASE("the last image is whole when the file comes in pieces of one byte") {
  const DataFolder folder;
  const std::string path = folder / "pipe";
  for (const std::string& file : {kImages, gzip(kImages), kImages.substr(0, 39), kImages + "x"}) {
    std::filesystem::remove(path);
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    std::thread writer{[&] {
      std::ofstream pipe{path, std::ios::binary};
      for (const char byte : file) pipe << byte << std::flush;
    }};
    if (file.size() == 39 || file.size() == 41) {
      check_error<FileError>([&] { read_idx(path); }, {"expected 40", file.size() == 39 ? "found 39" : "found more"});
    } else {
      CHECK(to_vector<std::uint8_t>(read_idx(path)) == bytes_of(counting(24)));
    }
    writer.join();
  }
}

TEST_CASE("a file that is not there and a folder are named with the reason") {
  const DataFolder folder;
  check_error<FileError>([&] { read_idx((folder / "none")); }, {(folder / "none"), "No such file"});
  check_error<FileError>([&] { read_idx(folder.path()); }, {folder.path(), "Is a directory"});
}
