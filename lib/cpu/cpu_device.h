// The host as a device: reference results for every kernel, oneDNN for the heavy ones.
#pragma once

#include <renkei/lib/cpu/caching_allocator.h>
#include <renkei/lib/device/device.h>

namespace renkei::cpu {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(std::string name);

  std::shared_ptr<Storage> allocate(std::size_t bytes) override;
  void copy_from_host(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void synchronize() override {}
  std::size_t reserved_bytes() const override { return allocator_.reserved_bytes(); }
  bool is_host() const override { return true; }

  /// Starts as OMP_NUM_THREADS or the number of processors this process may use.
  int threads() const override { return threads_; }
  void set_threads(int threads) override;  ///< throws ValueError below 1

 private:
  CachingAllocator allocator_;
  int threads_;
};

/// The CPU device that holds `array`.
inline CpuDevice& device_of(const Array& array) { return static_cast<CpuDevice&>(array.device()); }

}  // namespace renkei::cpu
