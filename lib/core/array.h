// Array: a dense, row-major array in the memory of one device. A handle: copies share the elements.
// Reshaping and slicing the first axis give views of the same storage; everything else makes a new array.
// Arrays are made by the functions in lib/device/creation.h.
#pragma once

#include <cstddef>
#include <memory>

#include <renkei/lib/core/dtype.h>
#include <renkei/lib/core/shape.h>

namespace renkei {

class Device;

/// A block of device memory. The device that made it derives from this class and takes the block back.
class Storage {
 public:
  Storage(Device& device, std::byte* data, std::size_t bytes) : device_{device}, data_{data}, bytes_{bytes} {}
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device& device() const { return device_; }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Device& device_;
  std::byte* data_;
  std::size_t bytes_;
};

class Array {
 public:
  Array() = default;  ///< no array at all; everything but `operator bool` and assignment needs a real one
  Array(std::shared_ptr<Storage> storage, const Shape& shape, Dtype dtype, std::int64_t offset_bytes = 0)
      : storage_{std::move(storage)}, offset_{offset_bytes}, shape_{shape}, dtype_{dtype} {}

  explicit operator bool() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  Device& device() const { return storage_->device(); }
  int ndim() const { return shape_.ndim(); }
  std::int64_t size() const { return shape_.size(); }
  std::int64_t bytes() const { return size() * size_of(dtype_); }

  /// Address of the first element in the memory of the device. Throws DtypeError if T is another type.
  template <class T>
  T* data() const {
    if (dtype_of<T> != dtype_) throw_wrong_type(dtype_of<T>);
    return reinterpret_cast<T*>(raw_data());
  }
  std::byte* raw_data() const { return storage_->data() + offset_; }

  /// View with another shape of equal size; throws ShapeError otherwise.
  Array reshape(const Shape& shape) const;

  /// View of rows [begin, end) of the first axis.
  Array slice(std::int64_t begin, std::int64_t end) const;

  /// Whether both start at the same element and have the same shape and dtype.
  bool is(const Array& other) const;

 private:
  [[noreturn]] void throw_wrong_type(Dtype asked) const;

  std::shared_ptr<Storage> storage_;
  std::int64_t offset_ = 0;
  Shape shape_;
  Dtype dtype_ = Dtype::float32;
};

using Arrays = std::vector<Array>;

}  // namespace renkei
