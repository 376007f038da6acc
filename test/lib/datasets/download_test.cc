#include <catch2/catch.hpp>

#include <chrono>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/download.h>

#include "loopback_server.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using datasets::download;
using datasets::RemoteFile;

namespace {

// sha256sum of "hello world\n"
const std::string kText = "hello world\n";
const std::string kSha256 = "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447";

RemoteFile remote(std::vector<std::string> urls) { return {std::move(urls), kSha256, 12}; }

}  // namespace

TEST_CASE("a file is downloaded, checked and put into place, with the folders above it") {
  const TemporaryFolder folder;
  const LoopbackServer server{[](const std::string& path) {
    return path == "set/file" ? LoopbackServer::ok(kText) : LoopbackServer::not_found();
  }};
  download(remote({server.url() + "set/file"}), folder / "a/b/file");
  CHECK(read_bytes(folder / "a/b/file") == kText);
  CHECK(TemporaryFolder{}.names().empty());
  CHECK(folder.names() == std::vector<std::string>{"a"});
}

TEST_CASE("file:// addresses work too") {
  const TemporaryFolder folder;
  write_bytes(folder / "source", kText);
  download(remote({"file://" + (folder / "source")}), folder / "target");
  CHECK(read_bytes(folder / "target") == kText);
}

TEST_CASE("the next address is tried when one fails; when all fail each is named with the reason") {
  const TemporaryFolder folder;
  const LoopbackServer server{[](const std::string& path) {
    if (path == "good") return LoopbackServer::ok(kText);
    if (path == "other") return LoopbackServer::ok("hello-world\n");
    if (path == "short") return LoopbackServer::ok("hello");
    if (path == "long") return LoopbackServer::ok(std::string(100000, 'x'));
    return LoopbackServer::not_found();
  }};
  const std::string url = server.url();
  download(remote({url + "missing", url + "other", url + "good"}), folder / "file");
  CHECK(read_bytes(folder / "file") == kText);
  check_error<FileError>(
      [&] { download(remote({url + "missing", url + "other", url + "short", url + "long"}), folder / "bad"); },
      {folder / "bad", url + "missing", "404", url + "other: SHA-256 is ", "expected " + kSha256,
       url + "short: expected 12 bytes, received 5", url + "long: more than the expected 12 bytes"});
  CHECK(folder.names() == std::vector<std::string>{"file"});
}

TEST_CASE("a failed download leaves the file that was there") {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "before");
  const LoopbackServer server{[](const std::string&) { return LoopbackServer::ok("hello-world\n"); }};
  CHECK_THROWS_AS(download(remote({server.url() + "file"}), folder / "file"), FileError);
  CHECK(read_bytes(folder / "file") == "before");
  CHECK(folder.names() == std::vector<std::string>{"file"});
}

TEST_CASE("a server that does not answer and one that is not there end the wait with an error") {
  const TemporaryFolder folder;
  const LoopbackServer silent{[](const std::string&) { return std::string{}; }};
  const auto start = std::chrono::steady_clock::now();
  check_error<FileError>(
      [&] {
        download(remote({silent.url() + "file", "http://127.0.0.1:1/file"}), folder / "file",
                 {.connect_seconds = 2, .stall_seconds = 1, .total_seconds = 5});
      },
      {silent.url() + "file", "too slow", "http://127.0.0.1:1/file"});
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{10});
  CHECK(folder.names().empty());
}

TEST_CASE("a folder that cannot be made is named") {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  check_error<FileError>([&] { download(remote({"file:///dev/null"}), folder / "file/below/x"); },
                         {folder / "file/below", "cannot be created"});
}
