// Files that were cut, changed or made up: a FileError that names the file, never a crash, never a wrong value.
#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npz.h>

#include "lib/serializers/archives.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

namespace {

Dictionary model() {
  return {{"l1/W", to_array<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
          {"l1/b", None{}},
          {"epoch", std::int64_t{7}},
          {"label", std::string{"連携"}}};
}

/// The bytes of `model` as Renkei writes it, and as NumPy does: without a checksum of the whole.
std::string written_by_us(bool compress) {
  const TemporaryFolder folder;
  write_npz(folder / "x", model(), {.compress = compress});
  return read_bytes(folder / "x");
}

/// Whether a file with these bytes is refused with a FileError that names it.
bool refused(const TemporaryFolder& folder, const std::string& bytes) {
  const std::string path = folder / "damaged.npz";
  write_bytes(path, bytes);
  try {
    read_npz(path);
    return false;
  } catch (const FileError& error) {
    return std::string_view{error.what()}.starts_with(path);
  }
}

std::uint32_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state >> 33);
}

std::string flipped(std::string bytes, std::size_t at, unsigned bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1u << bit));
  return bytes;
}

}  // namespace

TEST_CASE("a file with any one bit flipped anywhere is refused") {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const std::string bytes = written_by_us(compress);
    std::vector<std::size_t> accepted;
    for (std::size_t at = 0; at < bytes.size(); ++at)
      if (!refused(folder, flipped(bytes, at, at % 8))) accepted.push_back(at);
    CHECK(accepted == std::vector<std::size_t>{});
  }
}

TEST_CASE("a file with a byte replaced anywhere is refused") {
  const TemporaryFolder folder;
  std::string bytes = written_by_us(false);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char right = bytes[at];
    for (const char wrong : {'\0', '\xff', ' '}) {
      if (wrong == right) continue;
      bytes[at] = wrong;
      if (!refused(folder, bytes)) FAIL("byte " << at << " replaced by " << static_cast<int>(wrong));
    }
    bytes[at] = right;
  }
}

TEST_CASE("a file cut anywhere, or with bytes after its end, is refused") {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const std::string bytes = written_by_us(compress);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      if (!refused(folder, bytes.substr(0, length))) FAIL("cut to " << length << " of " << bytes.size() << " bytes");
    CHECK(refused(folder, bytes + '\0'));
    CHECK(refused(folder, bytes + bytes));
  }
}

TEST_CASE("the reason is in the message") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz", bytes = written_by_us(false);
  write_bytes(path, bytes.substr(0, bytes.size() - 100));
  check_error<FileError>([&] { read_npz(path); }, {path, "cut short"});
  write_bytes(path, flipped(bytes, bytes.size() / 2, 0));
  check_error<FileError>([&] { read_npz(path); }, {path, "checksum"});
  write_bytes(path, "");
  check_error<FileError>([&] { read_npz(path); }, {path, "0 bytes"});
  check_error<FileError>([&] { read_npz(folder / "nowhere"); }, {folder / "nowhere", "No such file"});
  check_error<FileError>([&] { read_npz(folder.path()); }, {folder.path(), "not a regular file"});
}

TEST_CASE("a flipped bit in the elements of a file without a checksum of the whole names the member") {
  const TemporaryFolder folder;
  const std::string image = npy(dict("<f4", "(2,)"), "abcdefgh");
  const std::string bytes = archive({{"l1/W.npy", image}});
  write_bytes(folder / "x.npz", flipped(bytes, bytes.find("abcdefgh") + 3, 2));
  check_error<FileError>([&] { read_npz(folder / "x.npz"); }, {"x.npz: member 'l1/W.npy'", "checksum"});
}

TEST_CASE("10 000 mutated headers give an error or a value, never a crash") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  std::uint64_t state = 42;
  int values = 0, errors = 0;
  for (int round = 0; round < 10000; ++round) {
    std::string image = npy(dict(round % 2 ? "<f4" : ">i2", "(2, 3)", round % 3 ? "False" : "True"),
                            std::string(round % 2 ? 24 : 12, 'x'), static_cast<char>(1 + round % 3));
    const std::size_t header = image.size() - 12;
    for (std::uint32_t changes = 1 + next_random(state) % 3; changes > 0; --changes) {
      const std::size_t at = next_random(state) % header;
      switch (next_random(state) % 4) {
        case 0: image[at] = static_cast<char>(next_random(state)); break;
        case 1: image.erase(at, 1 + next_random(state) % 4); break;
        case 2: image.insert(at, 1, "0123456789(),'\"{}: LTFUSOVMmcfiub<>|=-"[next_random(state) % 39]); break;
        default: image = flipped(image, at, next_random(state) % 8);
      }
    }
    write_bytes(path, archive({{"x.npy", image}}));  // with a right checksum: only the parser stands in between
    try {
      values += static_cast<int>(read_npz(path).size());
    } catch (const FileError&) {
      ++errors;
    }
  }
  CHECK(values + errors == 10000);
  CHECK(errors > 5000);
}

TEST_CASE("2 000 mutated archives without a checksum of the whole give an error or a value, never a crash") {
  const TemporaryFolder folder;
  const std::string original = archive({{"l1/W.npy", npy(dict("<f4", "(2, 3)"), std::string(24, 'x'))},
                                        {"t.npy", npy(dict("<i8", "()"), std::string(8, '\1'))}});
  std::uint64_t state = 7;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = original;
    for (std::uint32_t changes = 1 + next_random(state) % 4; changes > 0; --changes) {
      const std::size_t at = next_random(state) % bytes.size();
      if (next_random(state) % 4) bytes[at] = static_cast<char>(next_random(state));
      else bytes.erase(at, next_random(state) % 20);
    }
    write_bytes(folder / "x.npz", bytes);
    try {
      read_npz(folder / "x.npz");
    } catch (const FileError&) {
    }
  }
}

TEST_CASE("absurd sizes are refused before memory is asked for") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  const auto refuses = [&](const std::string& image, const std::vector<std::string>& pieces) {
    write_bytes(path, archive({{"x.npy", image}}));
    check_error<FileError>([&] { read_npz(path); }, pieces);
  };
  refuses(npy(dict("<f4", "(1000000000, 1000000000)"), "abcd"), {"'x.npy'", "1000000000", "wants 4000000000000000000"});
  refuses(npy(dict("<f8", "(4294967296, 4294967296)"), "abcd"), {"64 bits"});
  refuses(npy(dict("<f4", "(0, 4294967296, 4294967296)"), ""), {"64 bits"});
  refuses(npy(dict("<f4", "(9223372036854775808,)"), "abcd"), {"extent"});
  refuses(npy(dict("<f4", "(-1,)"), "abcd"), {"extent"});
  refuses(npy(dict("<U4611686018427387904", "()"), "abcd"), {"type"});
  refuses(npy(dict("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "abcd"), {"8 axes"});
  refuses("\x93NUMPY" + std::string{"\x02\x00\xff\xff\xff\xff", 6}, {"4294967295", "0 bytes are left"});
}

TEST_CASE("a directory that promises more than deflate can hold is refused") {
  const TemporaryFolder folder;
  std::vector<ZipEntry> entries{{"x.npy", true, 0, 1000000000000000000, 10, 0}};
  const std::string start = zip_local_header(entries[0]) + std::string(10, 'x');
  write_bytes(folder / "x.npz", start + zip_directory(entries, start.size(), 0));
  check_error<FileError>([&] { read_npz(folder / "x.npz"); }, {"'x.npy'", "claims 1000000000000000000 bytes"});
}

TEST_CASE("header keys out of order, other quotes and no comma at the end are read; anything else is not") {
  const TemporaryFolder folder;
  const auto reads = [&](const std::string& header) {
    write_bytes(folder / "x.npz", archive({{"x.npy", npy(header, "abcd")}}));
    try {
      return read_npz(folder / "x.npz").size() == 1;
    } catch (const FileError&) {
      return false;
    }
  };
  CHECK(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }"));
  CHECK(reads("{\"shape\": (1,), \"fortran_order\": True, \"descr\": \"<f4\"}   "));
  CHECK(reads("{'descr':'<f4','fortran_order':False,'shape':(1,1)}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + {}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': True}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}"));
  CHECK_FALSE(reads("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)"));
  CHECK_FALSE(reads(""));
}

TEST_CASE("members that are no arrays, double members and foreign compression are named") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz", image = npy(dict("<f4", "(1,)"), "abcd");
  write_bytes(path, archive({{"readme.txt", "hello"}}));
  check_error<FileError>([&] { read_npz(path); }, {"'readme.txt'", "not an .npy"});
  write_bytes(path, archive({{"x.npy", "hello, world"}}));
  check_error<FileError>([&] { read_npz(path); }, {"'x.npy'", "npy format"});
  write_bytes(path, archive({{"x.npy", image}, {"x.npy", image}}));
  CHECK_THROWS_AS(read_npz(path), FileError);
  std::string bytes = archive({{"x.npy", image}});
  for (const std::size_t method : {bytes.find("PK\3\4") + 8, bytes.find("PK\1\2") + 10}) bytes[method] = 12;
  write_bytes(path, bytes);
  check_error<FileError>([&] { read_npz(path); }, {"'x.npy'", "compression method 12", "not supported"});
}

TEST_CASE("arrays without elements have their shapes") {
  const TemporaryFolder folder;
  write_bytes(folder / "x.npz", archive({{"a.npy", npy(dict("<f4", "(0,)"), "")},
                                         {"b.npy", npy(dict("<f4", "(3, 0)", "True"), "")},
                                         {"c.npy", npy(dict("<f4", "()"), "abcd")}}));
  const Dictionary dictionary = read_npz(folder / "x.npz");
  CHECK(std::get<Array>(dictionary.at("a")).shape() == Shape{0});
  CHECK(std::get<Array>(dictionary.at("b")).shape() == Shape{3, 0});
  CHECK(std::get<Array>(dictionary.at("c")).shape() == Shape{});
}
