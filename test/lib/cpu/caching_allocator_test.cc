#include <renkei/lib/cpu/caching_allocator.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using renkei::cpu::CachingAllocator;

TEST_CASE("blocks are aligned and do not overlap") {
  CachingAllocator allocator;
  std::vector<std::pair<std::byte*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 40000; bytes = bytes * 5 / 4 + 1) blocks.emplace_back(allocator.allocate(bytes), bytes);
  for (std::size_t i = 0; i < blocks.size(); ++i) std::memset(blocks[i].first, static_cast<int>(i), blocks[i].second);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    for (std::size_t k = 0; k < bytes; ++k) REQUIRE(block[k] == static_cast<std::byte>(i));
    allocator.free(block, bytes);
  }
}

TEST_CASE("the steady state asks nothing of the operating system") {
  CachingAllocator allocator;
  const auto cycle = [&] {
    std::vector<std::pair<std::byte*, std::size_t>> blocks;
    for (const std::size_t bytes : {40u, 400000u, 3136000u, 64u, 400000u}) blocks.emplace_back(allocator.allocate(bytes), bytes);
    for (const auto& [block, bytes] : blocks) allocator.free(block, bytes);
  };
  cycle();
  const std::size_t reserved = allocator.reserved_bytes();
  for (int i = 0; i < 100; ++i) cycle();
  CHECK(allocator.reserved_bytes() == reserved);
}

TEST_CASE("blocks may be freed by another thread than the one that took them") {
  CachingAllocator allocator;
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(allocator.allocate(1000));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < blocks.size(); i += 4) {
        allocator.free(blocks[i], 1000);
        blocks[i] = allocator.allocate(1000);
        blocks[i][0] = static_cast<std::byte>(t);
      }
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < blocks.size(); ++i) CHECK(blocks[i][0] == static_cast<std::byte>(i % 4));
  CHECK(std::set<std::byte*>(blocks.begin(), blocks.end()).size() == blocks.size());
  for (std::byte* block : blocks) allocator.free(block, 1000);
}
