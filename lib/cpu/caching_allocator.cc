#include <renkei/lib/cpu/caching_allocator.h>

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kRegion = std::size_t{32} << 20;  // reserved at a time; untouched parts cost nothing

// Sanitizers see a stale pointer only if blocks really go back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

/// Four classes per power of two: at most a quarter of a block is wasted.
struct SizeClass {
  std::size_t index, bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>((bytes + kAlignment - 1) / kAlignment, 4);
  const auto log2 = static_cast<std::size_t>(std::bit_width(units - 1)) - 1;  // units in (2^log2, 2^(log2+1)]
  const std::size_t base = std::size_t{1} << log2, step = std::max<std::size_t>(base / 4, 1);
  const std::size_t quarter = (units - base + step - 1) / step;  // 1..4
  return {log2 * 4 + quarter, (base + quarter * step) * kAlignment};
}

[[noreturn]] void throw_exhausted(std::size_t bytes) {
  throw DeviceError{fmt::format("cpu: out of memory while asking for {} bytes", bytes)};
}

}  // namespace

std::byte* CachingAllocator::allocate(std::size_t bytes) {
  const SizeClass wanted = size_class(bytes);
  if (!kCaching) {
    void* block = std::aligned_alloc(kAlignment, wanted.bytes);
    if (!block) throw_exhausted(wanted.bytes);
    return static_cast<std::byte*>(block);
  }
  const std::lock_guard lock{mutex_};
  if (wanted.index < free_lists_.size() && !free_lists_[wanted.index].empty()) {
    std::byte* block = free_lists_[wanted.index].back();
    free_lists_[wanted.index].pop_back();
    return block;
  }
  return carve(wanted.bytes);
}

void CachingAllocator::free(std::byte* block, std::size_t bytes) noexcept {
  if (!kCaching) return std::free(block);
  const std::size_t index = size_class(bytes).index;
  const std::lock_guard lock{mutex_};
  if (free_lists_.size() <= index) free_lists_.resize(index + 1);
  free_lists_[index].push_back(block);
}

std::size_t CachingAllocator::reserved_bytes() const {
  const std::lock_guard lock{mutex_};
  return reserved_;
}

std::byte* CachingAllocator::carve(std::size_t bytes) {
  if (bytes > region_left_) {
    const std::size_t wanted = std::max((bytes + kHugePage - 1) / kHugePage * kHugePage, kRegion);
    // One huge page more than wanted, so that the start can be moved up to a huge page's boundary.
    void* mapped = mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw_exhausted(wanted);
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    region_ = reinterpret_cast<std::byte*>((address + kHugePage - 1) / kHugePage * kHugePage);
    madvise(region_, wanted, MADV_HUGEPAGE);  // a wish: without it everything works, slower
    region_left_ = wanted;
    reserved_ += wanted;
  }
  std::byte* block = region_;
  region_ += bytes;
  region_left_ -= bytes;
  return block;
}

}  // namespace renkei::cpu
