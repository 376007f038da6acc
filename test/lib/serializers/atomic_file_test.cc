#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/atomic_file.h>
#include <renkei/lib/serializers/npz.h>

#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

namespace {

using Names = std::vector<std::string>;

/// Runs `action` in a process of its own, which may lose privileges or die; returns its wait status.
template <class Action>
int in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      code = action();
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

template <class Action>
bool holds_in_child(const Action& action) {
  const int status = in_child([&] { return action() ? 0 : 1; });
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string text_of_error(const std::string& path, const std::string& content) {
  try {
    write_file_atomically(path, content);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

}  // namespace

TEST_CASE("a file is replaced whole, and nothing is left beside it") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "log", "first");
  write_file_atomically(folder / "log", std::string(200000, 'x'));
  CHECK(read_bytes(folder / "log") == std::string(200000, 'x'));
  write_file_atomically(folder / "log", "");
  CHECK(read_bytes(folder / "log").empty());
  CHECK(folder.names() == Names{"log"});
}

TEST_CASE("pieces of any size arrive in order") {
  const TemporaryFolder folder;
  std::string wanted;
  AtomicFile file{folder / "x"};
  for (const std::size_t size : {1, 70000, 3, 65536, 65535, 1, 0, 200000, 5}) {
    const std::string piece(size, static_cast<char>('a' + wanted.size() % 26));
    file.write(piece);
    wanted += piece;
  }
  CHECK_FALSE(std::filesystem::exists(folder / "x"));
  file.commit();
  CHECK(read_bytes(folder / "x") == wanted);
  CHECK_THROWS_AS(file.commit(), FileError);
}

TEST_CASE("a file that is not committed leaves the old one and no trace") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "x", "old");
  try {
    AtomicFile file{folder / "x"};
    file.write("new");
    throw 1;
  } catch (int) {
  }
  CHECK(read_bytes(folder / "x") == "old");
  CHECK(folder.names() == Names{"x"});
}

TEST_CASE("a name without a folder is written in the current one") {
  const TemporaryFolder folder;
  CHECK(holds_in_child([&] {
    return ::chdir(folder.path().c_str()) == 0 && (write_file_atomically("x", "here"), read_bytes("x") == "here");
  }));
  CHECK(folder.names() == Names{"x"});
}

TEST_CASE("a missing folder, a folder as target and a device are refused with the reason") {
  const TemporaryFolder folder;
  check_error<FileError>([&] { write_file_atomically(folder / "missing/x", "x"); },
                         {folder / "missing/x", "No such file or directory"});
  check_error<FileError>([&] { write_file_atomically(folder.path(), "x"); }, {folder.path(), "not a regular file"});
  check_error<FileError>([&] { write_file_atomically("/dev/null", "x"); }, {"/dev/null", "not a regular file"});
  check_error<FileError>([&] { write_file_atomically(folder / "", "x"); }, {folder.path()});
}

TEST_CASE("a disk that is full leaves the file before intact") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  write_npz(path, {{"x", 1.0}});
  CHECK(holds_in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);  // the limit on a file's size stands in for the end of the disk
    const rlimit limit{100000, 100000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    try {
      write_npz(path, {{"x", zeros({100000}, Dtype::float32)}});
    } catch (const FileError& error) {
      return contains(error.what(), path) && contains(error.what(), "File too large") &&
             folder.names() == Names{"x.npz"} && std::get<double>(read_npz(path).at("x")) == 1.0;
    }
    return false;
  }));
  CHECK(std::get<double>(read_npz(path).at("x")) == 1.0);
}

TEST_CASE("a folder that may not be written leaves the file before intact") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "x", "old");
  ::chmod(folder.path().c_str(), 0555);
  const bool held = holds_in_child([&] {
    // The superuser may write anywhere, so become somebody else.
    if (::getuid() == 0 && ::setuid(65534) != 0) return false;
    return contains(text_of_error(folder / "x", "new"), "Permission denied");
  });
  ::chmod(folder.path().c_str(), 0755);
  CHECK(held);
  CHECK(read_bytes(folder / "x") == "old");
  CHECK(folder.names() == Names{"x"});
}

TEST_CASE("the rights of new files follow the mask of the process") {
  const TemporaryFolder folder;
  CHECK(holds_in_child([&] {
    ::umask(0027);
    write_file_atomically(folder / "x", "x");
    struct stat facts {};
    return ::stat((folder / "x").c_str(), &facts) == 0 && (facts.st_mode & 0777) == 0640;
  }));
}

TEST_CASE("leftovers of killed writers are recognised and removed; files being written are not") {
  const TemporaryFolder folder;
  write_bytes(folder / ".mine.renkei-tmp-not", "a file of the user");
  const int status = in_child([&]() -> int {
    AtomicFile file{folder / "snapshot_iter_5"};
    file.write(std::string(100000, 'x'));
    ::raise(SIGKILL);
    return 0;
  });
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(folder.names().size() == 2);
  AtomicFile living{folder / "snapshot_iter_6"};
  const Names removed = remove_leftovers(folder.path());
  REQUIRE(removed.size() == 1);
  CHECK(removed[0].starts_with(".snapshot_iter_5."));
  CHECK(removed[0].ends_with(".renkei-tmp"));
  living.commit();
  CHECK(folder.names() == Names{".mine.renkei-tmp-not", "snapshot_iter_6"});
  CHECK(remove_leftovers(folder.path()).empty());
  check_error<FileError>([&] { remove_leftovers(folder / "missing"); }, {"missing", "No such file"});
}

TEST_CASE("writers and cleaners at once never harm each other") {
  const TemporaryFolder folder;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) failures += !text_of_error(folder / std::to_string(t), std::to_string(i)).empty();
    });
  for (int i = 0; i < 200; ++i) remove_leftovers(folder.path());
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(read_bytes(folder / "0") == "99");
  CHECK(folder.names() == Names{"0", "1"});
}

TEST_CASE("a writer killed at any time leaves the old file or the new one") {
  const TemporaryFolder folder;
  const std::string path = folder / "snapshot";
  write_npz(path, {{"i", std::int64_t{0}}, {"x", zeros({30000}, Dtype::float32)}});
  std::int64_t last = 0;
  for (int round = 0; round < 50; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::int64_t i = last + 1;; ++i) {
        Dictionary dictionary{{"i", i}, {"x", full({30000}, static_cast<double>(i), Dtype::float32)}};
        write_npz(path, dictionary);
      }
    }
    // The first one gets the time to write something, however busy the machine is.
    for (int wait = 0; round == 0 && wait < 1000 && std::get<std::int64_t>(read_npz(path).at("i")) == 0; ++wait)
      ::usleep(10000);
    ::usleep(static_cast<useconds_t>(500 + 937 * round % 20000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Dictionary dictionary = read_npz(path);
    const auto i = std::get<std::int64_t>(dictionary.at("i"));
    CHECK(i >= last);
    const Array x = std::get<Array>(dictionary.at("x"));
    CHECK(to_double(x.slice(29999, 30000)) == static_cast<double>(i));
    last = i;
  }
  CHECK(last > 0);
  remove_leftovers(folder.path());
  CHECK(folder.names() == Names{"snapshot"});
}
