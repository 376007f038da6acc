// Host memory that is never given back to the operating system, in huge pages where the kernel grants them.
// Touching fresh memory costs far more than arithmetic on it (one page fault per 4 KiB), so freed blocks go to a
// free list of their size class and the steady state of a training loop takes no page fault at all.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace renkei::cpu {

/// Thread-safe. Blocks are aligned to 64 bytes.
class CachingAllocator {
 public:
  /// Throws DeviceError when the operating system has no memory left.
  std::byte* allocate(std::size_t bytes);
  void free(std::byte* block, std::size_t bytes) noexcept;

  /// Bytes ever taken from the operating system: constant in the steady state.
  std::size_t reserved_bytes() const;

 private:
  std::byte* carve(std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<std::vector<std::byte*>> free_lists_;  // by size class
  std::byte* region_ = nullptr;                      // unused tail of the newest region
  std::size_t region_left_ = 0;
  std::size_t reserved_ = 0;
};

}  // namespace renkei::cpu
