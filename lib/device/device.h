// Device: what any device must offer. Devices live until the program ends and are shared by all threads;
// memory may be allocated and freed from any thread, kernels of one device are started by one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <renkei/lib/core/array.h>
#include <renkei/lib/device/kernel_table.h>

namespace renkei {

class Device {
 public:
  explicit Device(std::string name) : name_{std::move(name)} {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const { return name_; }  ///< "cpu", "cpu:1", "cuda:0"

  /// Uninitialised memory, aligned to 64 bytes. Freed blocks are kept and handed out again: in the steady state
  /// of a training loop nothing is asked of the operating system.
  virtual std::shared_ptr<Storage> allocate(std::size_t bytes) = 0;

  /// Copies between host memory and memory of this device; both return when the source may be changed and the
  /// target may be read.
  virtual void copy_from_host(std::byte* device, const std::byte* host, std::size_t bytes) = 0;
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;

  /// Waits until all work handed to the device is done.
  virtual void synchronize() = 0;

  /// Bytes ever taken from the operating system or driver: constant in the steady state of a training loop.
  virtual std::size_t reserved_bytes() const = 0;

  /// Whether the host can read and write the memory of this device directly.
  virtual bool is_host() const = 0;

  /// Host threads that one kernel may use. A device that computes elsewhere has none to set (DeviceError).
  virtual int threads() const { return 1; }
  virtual void set_threads(int threads);

  /// The function that runs kernel `Key` here. Throws DeviceError naming kernel and device if there is none.
  template <class Key>
  typename Key::Fn& kernel() const {
    if (auto* function = kernels_.find<Key>()) return *function;
    throw_no_kernel(Key::kName, *this);
  }

 protected:
  KernelTable kernels_;

 private:
  std::string name_;
};

/// The device of that name, made at first use. Reads `cpu`, `cpu:1`, `cuda:0` and Chainer's spellings: negative
/// numbers, `native` and `@numpy` mean `cpu`; numbers, `@cupy:N` and `cuda` mean `cuda:N`.
/// Throws ValueError for a name that cannot be read, DeviceError for a device this build or machine lacks.
Device& get_device(std::string_view name);

/// The canonical spelling of a device name as read by get_device; throws ValueError.
std::string canonical_device_name(std::string_view name);

/// Where new arrays of this thread are made when nothing else is said; `cpu` at first.
Device& current_device();

/// Makes `device` current in this thread for the life of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(Device& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device* previous_;
};

}  // namespace renkei
