// Where random numbers come from. Every random operation (one dropout call, one initial weight) takes the next stream
// number and draws element i as Philox(seed, stream, i): equal seeds give equal bits, whatever the number of threads,
// and two numbers restore the state.
#pragma once

#include <atomic>
#include <cstdint>

namespace renkei {

/// Thread-safe; the order in which threads take streams is theirs to fix.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed = 0) : seed_{seed} {}

  std::uint64_t seed() const { return seed_; }
  std::uint64_t take_stream() { return next_stream_++; }
  std::uint64_t next_stream() const { return next_stream_; }

  /// Starts again: the same seed gives the same numbers.
  void reset(std::uint64_t seed, std::uint64_t next_stream = 0) {
    seed_ = seed;
    next_stream_ = next_stream;
  }

 private:
  std::atomic<std::uint64_t> seed_;
  std::atomic<std::uint64_t> next_stream_{0};
};

/// The generator behind dropout, initializers and shuffling when no other is given. Snapshots save it.
RandomGenerator& default_generator();

}  // namespace renkei
