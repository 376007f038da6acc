#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <zip.h>

#include <renkei/lib/serializers/zip_format.h>

#include "support/temporary_folder.h"

using namespace renkei;
using namespace renkei::test;

namespace {

constexpr std::uint64_t kFiveGigabytes = 5'000'000'000;

std::uint64_t field(const std::string& bytes, std::size_t at, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return value;
}

}  // namespace

TEST_CASE("small entries have plain records") {
  const ZipEntry entry{"x.npy", false, 0x12345678, 10, 10, 0};
  const std::string local = zip_local_header(entry);
  CHECK(local.size() == 30 + 5);
  CHECK(field(local, 14, 4) == 0x12345678);
  CHECK(field(local, 18, 4) == 10);
  const std::string directory = zip_directory({entry}, 45, 0);
  CHECK(directory.size() == 46 + 5 + 22);
  CHECK(directory.find("PK\6\6") == std::string::npos);
}

TEST_CASE("sizes and offsets over 32 bits get 64-bit fields") {
  const ZipEntry entry{"x.npy", false, 0, kFiveGigabytes, kFiveGigabytes, kFiveGigabytes + 1};
  const std::string local = zip_local_header(entry);
  CHECK(field(local, 18, 4) == 0xffffffff);
  CHECK(field(local, 22, 4) == 0xffffffff);
  CHECK(field(local, 28, 2) == 20);      // length of the extra field
  CHECK(field(local, 30 + 5, 2) == 1);   // its kind: 64-bit sizes
  CHECK(field(local, 30 + 9, 8) == kFiveGigabytes);
  CHECK(field(local, 30 + 17, 8) == kFiveGigabytes);
  const std::string directory = zip_directory({entry}, 2 * kFiveGigabytes, 0);
  CHECK(field(directory, 46 + 5 + 4 + 16, 8) == kFiveGigabytes + 1);
  const std::size_t end = directory.find("PK\6\6");
  REQUIRE(end != std::string::npos);
  CHECK(field(directory, end + 48, 8) == 2 * kFiveGigabytes);
  CHECK(field(directory, directory.size() - 6, 4) == 0xffffffff);
}

TEST_CASE("an archive over 4 GB, and one with 70 000 members, are what another zip library expects") {
  const TemporaryFolder folder;
  const std::string path = folder / "large.zip";
  std::vector<ZipEntry> entries{{"large.npy", false, 0, kFiveGigabytes, kFiveGigabytes, 0}};
  std::uint64_t offset = zip_local_header(entries[0]).size() + kFiveGigabytes;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  const auto write_at = [&](const std::string& bytes, std::uint64_t at) {
    REQUIRE(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at)) == static_cast<ssize_t>(bytes.size()));
  };
  write_at(zip_local_header(entries[0]), 0);  // the five gigabytes after it stay a hole
  std::string rest;
  for (int i = 0; i < 70000; ++i) {
    entries.push_back({"small" + std::to_string(i), false, 0, 0, 0, offset + rest.size()});
    rest += zip_local_header(entries.back());
  }
  write_at(rest + zip_directory(entries, offset + rest.size(), 0), offset);
  ::close(file);
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error);
  REQUIRE(archive);
  CHECK(zip_get_num_entries(archive, 0) == 70001);
  zip_stat_t facts;
  REQUIRE(zip_stat(archive, "large.npy", 0, &facts) == 0);
  CHECK(facts.size == kFiveGigabytes);
  CHECK(zip_name_locate(archive, "small69999", 0) == 70000);
  zip_discard(archive);
}
