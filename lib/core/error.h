// The error family. Every error a user can cause derives from Error; its constructor takes the operands,
// so that shapes, dtypes, devices, paths and offsets are always in the text.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <renkei/lib/core/dtype.h>
#include <renkei/lib/core/shape.h>

namespace renkei {

/// Base of all errors that name something the user can change: an argument, a file, a shape, a device.
/// Programs print `what()` on one line and exit with 2; any other exception is a failure of ours (exit 1).
class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_{std::move(message)} {}
  const char* what() const noexcept override { return message_.c_str(); }

  /// Remembers the link in whose call the error arose. Only the innermost call counts. Whoever owns the
  /// root of the model turns the address into a path (see Link::explain).
  void blame(const void* link) noexcept {
    if (!link_) link_ = link;
  }
  const void* link() const noexcept { return link_; }

  /// Puts `context` and ": " before the message.
  void prepend(std::string_view context);

 private:
  std::string message_;
  const void* link_ = nullptr;
};

struct NamedShape {
  std::string_view name;
  Shape shape;
};

/// linear: got x=(32, 100) w=(10, 784); want x (batch, in) and w (out, in) with equal in
class ShapeError : public Error {
 public:
  ShapeError(std::string_view where, const std::vector<NamedShape>& got, std::string_view want);
};

struct NamedDtype {
  std::string_view name;
  Dtype dtype;
};

/// linear: got x=float32 w=float64; want equal dtypes
class DtypeError : public Error {
 public:
  DtypeError(std::string_view where, const std::vector<NamedDtype>& got, std::string_view want);
};

/// A device that does not exist, cannot do what is asked, or does not hold the operands.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// An argument outside its range: "batch_size: got 0; want at least 1".
class ValueError : public Error {
 public:
  using Error::Error;
  template <class Got>
  ValueError(std::string_view name, const Got& got, std::string_view want)
      : Error{compose(name, as_text(got), want)} {}

 private:
  static std::string as_text(std::string_view got) { return std::string{got}; }
  static std::string as_text(const char* got) { return got; }
  static std::string as_text(std::int64_t got) { return std::to_string(got); }
  static std::string as_text(int got) { return std::to_string(got); }
  static std::string as_text(std::size_t got) { return std::to_string(got); }
  static std::string as_text(double got);
  static std::string compose(std::string_view name, std::string_view got, std::string_view want);
};

/// A call at the wrong time: updating an optimizer before setup, running a trainer twice.
class StateError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read, written or understood: "PATH: offset 16: expected ..., found ...".
class FileError : public Error {
 public:
  FileError(std::string_view path, std::string_view problem);
  FileError(std::string_view path, std::int64_t offset, std::string_view problem);
};

/// Something outside did not answer within its limit: a data set that reads, another process.
class TimeoutError : public Error {
 public:
  using Error::Error;
};

/// Entries of a file and of the object it is loaded into do not match (missing, extra, other shape).
class MismatchError : public Error {
 public:
  using Error::Error;
};

}  // namespace renkei
