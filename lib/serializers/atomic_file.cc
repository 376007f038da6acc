#include <renkei/lib/serializers/atomic_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

constexpr std::string_view kSuffix = ".renkei-tmp";
constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::size_t kLongestName = 200;  // of the 255 bytes that a name may have
constexpr int kAttempts = 100;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string text_of(int reason) { return std::generic_category().message(reason); }

/// Whether the open file is still the one the name leads to.
bool is_named(int file, const std::string& name) {
  struct stat open_file {}, named_file {};
  return ::fstat(file, &open_file) == 0 && ::lstat(name.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino && open_file.st_dev == named_file.st_dev;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_{std::move(path)} {
  struct stat target {};
  // Renaming over a device or a folder would replace it.
  if (::stat(path_.c_str(), &target) == 0 && !S_ISREG(target.st_mode))
    throw FileError{path_, "cannot be written: it exists and is not a regular file"};
  const std::string folder = folder_of(path_), name = path_.substr(path_.rfind('/') + 1);
  if (name.empty()) throw FileError{path_, "cannot be written: a file name is missing"};
  std::random_device random;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    temporary_ = fmt::format("{}/.{}.{:08x}{}", folder, name.substr(0, kLongestName), random(), kSuffix);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) fail("create a file in its folder", errno);
    // Whoever cleans up takes an unlocked temporary for a leftover, and may have done so before the lock was ours.
    // Where the file system has no locks, nobody cleans up.
    const bool locked = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    if (locked ? is_named(file_, temporary_) : errno != EWOULDBLOCK) return;
    ::close(file_);
    file_ = -1;
  }
  fail("create a file in its folder", EEXIST);
}

AtomicFile::~AtomicFile() { close_and_remove(); }

void AtomicFile::close_and_remove() noexcept {
  if (file_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(file_);
  file_ = -1;
}

void AtomicFile::fail(std::string_view action, int reason) {
  close_and_remove();
  throw FileError{path_, fmt::format("cannot be written: failed to {}: {}", action, text_of(reason))};
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (file_ < 0) throw FileError{path_, "cannot be written: it is closed"};
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) return write_through(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void AtomicFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (file_ < 0) throw FileError{path_, "cannot be written: it is closed"};
  flush();
  if (::fsync(file_) != 0 && errno != EINVAL) fail("flush it to the disk", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename the temporary file", errno);
  ::close(file_);  // after fsync there is nothing left that could fail
  file_ = -1;
  // The new name is on the disk when the folder is. Some file systems cannot flush a folder; the file is good.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const int failed = ::fsync(folder) != 0 ? errno : 0;
  ::close(folder);
  if (failed == EIO || failed == ENOSPC || failed == EDQUOT)
    throw FileError{path_, fmt::format("written, but its folder cannot be flushed to the disk: {}", text_of(failed))};
}

void write_file_atomically(const std::string& path, std::string_view text) {
  AtomicFile file{path};
  file.write(text);
  file.commit();
}

std::vector<std::string> remove_leftovers(const std::string& folder) {
  std::vector<std::string> removed;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed}) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') || !name.ends_with(kSuffix)) continue;
    // For writing, since NFS locks nothing else.
    const int file = ::open(entry.path().c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    const bool dead = ::flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, entry.path());
    if (dead && ::unlink(entry.path().c_str()) == 0) removed.push_back(name);
    ::close(file);
  }
  if (failed) throw FileError{folder, fmt::format("cannot be searched for leftovers: {}", failed.message())};
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace renkei
