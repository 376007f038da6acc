// Catches what is written to a file descriptor, such as standard error, by any library.
#pragma once

#include <cstdio>
#include <string>

#include <unistd.h>

namespace renkei::test {

inline std::string content_of(int file) {
  std::string result(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  const auto length = ::pread(file, result.data(), result.size(), 0);
  result.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return result;
}

class Capture {
 public:
  explicit Capture(std::FILE* stream = stderr) : stream_{stream}, file_{std::tmpfile()} {
    std::fflush(stream_);
    original_ = ::dup(fileno(stream_));
    ::dup2(fileno(file_), fileno(stream_));
  }
  ~Capture() {
    std::fflush(stream_);
    ::dup2(original_, fileno(stream_));
    ::close(original_);
    std::fclose(file_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Everything so far.
  std::string text() const {
    std::fflush(stream_);
    return content_of(fileno(file_));
  }

 private:
  std::FILE* stream_;
  std::FILE* file_;
  int original_;
};

/// A stream into memory that is no terminal; `text()` is what was written.
class TextStream {
 public:
  TextStream() : file_{std::tmpfile()} {}
  ~TextStream() { std::fclose(file_); }
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  operator std::FILE*() const { return file_; }
  std::string text() const {
    std::fflush(file_);
    return content_of(fileno(file_));
  }

 private:
  std::FILE* file_;
};

}  // namespace renkei::test
