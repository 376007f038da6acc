// Large blocks taken from the heap are counted in this program.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

#include <renkei/lib/device/device.h>
#include <renkei/lib/iterators/multithread_iterator.h>
#include <renkei/lib/iterators/serial_iterator.h>

#include "numbers.h"

namespace {

constexpr std::size_t kLarge = 64 * 1024;
std::atomic<int> g_large_blocks{0};

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (bytes >= kLarge) ++g_large_blocks;
  if (void* block = std::malloc(bytes ? bytes : 1)) return block;
  throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

using namespace renkei;

namespace {

/// Blocks taken from the heap, and bytes from the operating system, over ten epochs after two to warm up.
void check_steady(Iterator& iterator) {
  const Device& device = get_device("cpu");
  while (iterator.epoch() < 2) iterator.next();
  const int blocks = g_large_blocks;
  const std::size_t reserved = device.reserved_bytes();
  while (iterator.epoch() < 12) iterator.next();
  CHECK(g_large_blocks == blocks);
  CHECK(device.reserved_bytes() == reserved);
}

}  // namespace

TEST_CASE("in the steady state neither batches nor shuffling take fresh memory") {
  std::vector<float> pixels(20000 * 10);
  const TupleDataset dataset{{Field{to_array(pixels, {20000, 10})}}};
  iterators::SerialIterator serial{dataset, 3000};
  check_steady(serial);
  iterators::MultithreadIterator threaded{dataset, 3000, {.n_threads = 2}};
  check_steady(threaded);
}
