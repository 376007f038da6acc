#include <catch2/catch.hpp>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/iterators/multithread_iterator.h>
#include <renkei/lib/iterators/serial_iterator.h>

#include "numbers.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using iterators::MultithreadIterator;
using iterators::MultithreadOptions;
using iterators::SerialIterator;
using Batches = std::vector<std::vector<float>>;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

/// Example i is the number i; `hook` is called with i before, in the reading thread.
class Hooked : public Dataset {
 public:
  Hooked(std::int64_t size, std::function<void(std::int64_t)> hook) : size_{size}, hook_{std::move(hook)} {}
  std::int64_t size() const override { return size_; }
  Arrays get(std::int64_t i) const override {
    hook_(i);
    return {to_array<float>({static_cast<float>(i)}, {})};
  }

 private:
  std::int64_t size_;
  std::function<void(std::int64_t)> hook_;
};

/// Blocks whoever comes until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock{mutex_};
    ++waiting_;
    opens_.wait(lock, [&] { return open_; });
    --waiting_;
  }
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    opens_.notify_all();
  }
  int waiting() {
    const std::lock_guard lock{mutex_};
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable opens_;
  bool open_ = false;
  int waiting_ = 0;
};

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, std::filesystem::directory_iterator{});
}

/// Waits up to 10 s for a number of threads: one that was joined may still be listed for a moment.
bool threads_become(std::ptrdiff_t number) {
  for (int k = 0; k < 1000 && threads() != number; ++k) std::this_thread::sleep_for(10ms);
  return threads() == number;
}

/// What is written to standard error while `action` runs.
std::string standard_error(const std::function<void()>& action) {
  const TemporaryFolder folder;
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  FILE* file = std::fopen((folder / "stderr").c_str(), "w");
  dup2(fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::fclose(file);
  return read_bytes(folder / "stderr");
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t number = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++number;
  return number;
}

}  // namespace

TEST_CASE("prefetching gives the batches and the progress of the serial iterator") {
  const TupleDataset dataset = numbers(23);
  for (const bool repeat : {true, false})
    for (const bool shuffle : {true, false})
      for (const int n_threads : {1, 3})
        for (const int batch_size : {1, 4, 23, 50}) {
          SerialIterator serial{dataset, batch_size, {.repeat = repeat, .shuffle = shuffle, .seed = 2}};
          MultithreadIterator threaded{
              dataset, batch_size, {.repeat = repeat, .shuffle = shuffle, .seed = 2, .n_threads = n_threads}};
          for (int k = 0; k < 30; ++k) {
            const auto expected = serial.next(), batch = threaded.next();
            REQUIRE(batch.has_value() == expected.has_value());
            if (batch) {
              REQUIRE(batch->indices == expected->indices);
              REQUIRE(to_vector<float>(batch->arrays[0]) == to_vector<float>(expected->arrays[0]));
            }
            REQUIRE(threaded.samples_seen() == serial.samples_seen());
            REQUIRE(threaded.previous_epoch_detail() == serial.previous_epoch_detail());
            REQUIRE(threaded.is_new_epoch() == serial.is_new_epoch());
          }
        }
}

TEST_CASE("the next batches are made while the present one is used, as many as asked for and no more") {
  std::atomic<int> reads{0};
  const Hooked dataset{100, [&](std::int64_t) { ++reads; }};
  MultithreadIterator iterator{dataset, 2, {.shuffle = false, .n_threads = 2, .n_prefetch = 3}};
  CHECK(reads == 0);
  iterator.next();
  for (int k = 0; k < 1000 && reads < 8; ++k) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(50ms);
  CHECK(reads == 8);
}

TEST_CASE("several threads read at the same time") {
  Gate gate;
  const Hooked dataset{100, [&](std::int64_t i) {
                         if (i < 3) gate.pass();
                       }};
  MultithreadIterator iterator{dataset, 1, {.shuffle = false, .n_threads = 3}};
  std::thread opener{[&] {
    while (gate.waiting() < 3) std::this_thread::sleep_for(1ms);
    gate.open();
  }};
  CHECK(take(iterator, 4) == Batches{{0}, {1}, {2}, {3}});
  opener.join();
}

TEST_CASE("batches keep their order although later ones are ready first") {
  const Hooked dataset{100, [](std::int64_t i) {
                         if (i % 3 == 0) std::this_thread::sleep_for(5ms);
                       }};
  MultithreadIterator iterator{dataset, 1, {.shuffle = false, .n_threads = 4}};
  CHECK(take(iterator, 6) == Batches{{0}, {1}, {2}, {3}, {4}, {5}});
}

TEST_CASE("created, used a little and destroyed 200 times, each under a second, all threads gone") {
  const TupleDataset dataset = numbers(100);
  const std::ptrdiff_t before = threads();
  for (int k = 0; k < 200; ++k) {
    const auto start = Clock::now();
    {
      MultithreadIterator iterator{dataset, 10, {.n_threads = 1 + k % 3}};
      take(iterator, k % 4);
      if (k % 5 == 0) iterator.finalize();
    }
    REQUIRE(Clock::now() - start < 1s);
  }
  CHECK(threads_become(before));
}

TEST_CASE("destruction does not wait for the rest of a slow batch") {
  std::atomic<int> reads{0};
  const Hooked dataset{2000, [&](std::int64_t i) {
                         ++reads;
                         if (i >= 1000) std::this_thread::sleep_for(10ms);
                       }};
  auto iterator = std::make_unique<MultithreadIterator>(dataset, 1000, MultithreadOptions{.shuffle = false});
  iterator->next();  // the batch behind it takes ten seconds
  while (reads < 1005) std::this_thread::sleep_for(1ms);
  const auto start = Clock::now();
  iterator.reset();
  CHECK(Clock::now() - start < 1s);
}

TEST_CASE("finalize ends the threads; the iterator can be asked, saved and used again") {
  const TupleDataset dataset = numbers(10);
  const std::ptrdiff_t before = threads();
  MultithreadIterator iterator{dataset, 3, {.shuffle = false, .n_threads = 2}};
  CHECK(take(iterator, 2) == Batches{{0, 1, 2}, {3, 4, 5}});
  CHECK(threads() == before + 2);
  iterator.finalize();
  iterator.finalize();
  CHECK(threads_become(before));
  CHECK(iterator.samples_seen() == 6);
  CHECK(saved(iterator).size() == 4);
  CHECK(take(iterator, 1) == Batches{{6, 7, 8}});
}

TEST_CASE("reset in the middle starts over") {
  const TupleDataset dataset = numbers(10);
  MultithreadIterator iterator{dataset, 4, {.repeat = false, .shuffle = false, .n_threads = 2}};
  for (int pass = 0; pass < 3; ++pass) {
    CHECK(take(iterator, 2) == Batches{{0, 1, 2, 3}, {4, 5, 6, 7}});
    iterator.reset();
    CHECK_FALSE(iterator.previous_epoch_detail());
    CHECK(take(iterator, 9) == Batches{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}});
    CHECK_FALSE(iterator.next());
    iterator.reset();
  }
}

TEST_CASE("saving is free of side effects and holds the state of the batch returned last") {
  const TupleDataset dataset = numbers(10);
  SerialIterator serial{dataset, 4, {.seed = 1}};
  MultithreadIterator threaded{dataset, 4, {.seed = 1, .n_threads = 2, .n_prefetch = 7}};
  for (int k = 0; k < 12; ++k) {
    Dictionary expected = saved(serial), got = saved(threaded);
    CHECK(to_vector<std::int64_t>(std::get<Array>(got["order"])) ==
          to_vector<std::int64_t>(std::get<Array>(expected["order"])));
    for (const char* key : {"current_position", "epoch", "is_new_epoch", "previous_epoch_detail", "seed"})
      CHECK(describe(got[key]) == describe(expected[key]));
    CHECK(take(threaded, 1) == take(serial, 1));
  }
}

TEST_CASE("states travel between the iterators; loading drops what was made ahead") {
  const TupleDataset dataset = numbers(10);
  for (int stop = 0; stop < 8; ++stop) {
    MultithreadIterator straight{dataset, 4, {.seed = 1, .n_threads = 2}}, resumed{dataset, 4, {.seed = 9}};
    SerialIterator serial{dataset, 4, {.seed = 9}};
    take(straight, stop);
    take(resumed, 3);
    const Dictionary file = saved(straight);
    load(resumed, file);
    load(serial, file);
    const Batches rest = take(straight, 8);
    CHECK(take(resumed, 8) == rest);
    CHECK(take(serial, 8) == rest);
  }
}

TEST_CASE("an exception of a loader thread comes out with the example and the original text") {
  std::atomic<bool> fails{true};
  const Hooked dataset{20, [&](std::int64_t i) {
                         if (i == 7 && fails) throw std::out_of_range{"vector::at: 12"};
                       }};
  MultithreadIterator iterator{dataset, 2, {.shuffle = false, .n_threads = 2}};
  CHECK(take(iterator, 3).size() == 3);
  for (int again = 0; again < 2; ++again)
    CHECK_THROWS_WITH(iterator.next(), "example 7: vector::at: 12");
  CHECK(iterator.samples_seen() == 6);
  fails = false;
  CHECK(take(iterator, 2) == Batches{{6, 7}, {8, 9}});
}

TEST_CASE("an error inside loading is never the end of the data") {
  const Hooked dataset{100, [](std::int64_t i) {
                         if (i == 80) throw std::out_of_range{"index"};
                       }};
  MultithreadIterator iterator{dataset, 2, {.repeat = false, .shuffle = false}};
  int batches = 0;
  CHECK_THROWS_AS([&] { while (iterator.next()) ++batches; }(), std::runtime_error);
  CHECK(batches == 40);
}

TEST_CASE("errors of a converter name the batch and keep their type") {
  const TupleDataset dataset = numbers(20);
  const auto converter = [](const Dataset&, std::span<const std::int64_t> indices) -> Arrays {
    throw ShapeError{"crop", {{"image", Shape{static_cast<std::int64_t>(indices.size()), 3}}}, "two axes"};
  };
  MultithreadIterator iterator{dataset, 2, {.shuffle = false, .converter = converter}};
  check_error<ShapeError>([&] { iterator.next(); }, {"examples 0, 1: crop", "(2, 3)"});
}

TEST_CASE("a read that never returns is an error with the example, and ends nothing but itself") {
  static Gate& gate = *new Gate;  // stands for a dead disk; its readers may outlive the test
  const std::ptrdiff_t before = threads();
  static const Hooked& dataset = *new Hooked{20, [](std::int64_t i) {
                                               if (i == 13) gate.pass();
                                             }};
  {
    MultithreadIterator iterator{dataset, 2, {.shuffle = false, .n_threads = 2, .timeout_seconds = 0.3}};
    CHECK(take(iterator, 6).size() == 6);
    const auto start = Clock::now();
    std::string text;
    const std::string warning =
        standard_error([&] { text = error_text<TimeoutError>([&] { iterator.next(); }); });
    CHECK(Clock::now() - start < 5s);
    CHECK_THAT(text, Catch::Contains("example 13") && Catch::Contains("0.3 s"));
    CHECK_THAT(warning, Catch::Contains("left behind") && Catch::Contains("example 13"));
    CHECK(iterator.samples_seen() == 12);
    CHECK(threads() <= before + 1);
    gate.open();
    CHECK(threads_become(before));  // a thread that does come back ends
    CHECK(take(iterator, 1) == Batches{{12, 13}});
  }
  CHECK(threads_become(before));
}

TEST_CASE("a read that hangs does not hang destruction") {
  static Gate& gate = *new Gate;
  const std::ptrdiff_t before = threads();
  static const Hooked& dataset = *new Hooked{20, [](std::int64_t i) {
                                               if (i == 2) gate.pass();
                                             }};
  const auto start = Clock::now();
  const std::string warning = standard_error([&] {
    MultithreadIterator iterator{dataset, 1, {.shuffle = false, .n_threads = 3, .timeout_seconds = 0.2}};
    take(iterator, 2);
    while (gate.waiting() == 0) std::this_thread::sleep_for(1ms);
  });
  CHECK(Clock::now() - start < 5s);
  CHECK(count(warning, "left behind") == 1);
  gate.open();
  CHECK(threads_become(before));
}

TEST_CASE("a batch of many slow examples is no stall") {
  const Hooked dataset{40, [](std::int64_t) { std::this_thread::sleep_for(20ms); }};
  MultithreadIterator iterator{dataset, 20, {.shuffle = false, .timeout_seconds = 0.2}};
  CHECK(take(iterator, 2).size() == 2);
}

TEST_CASE("an order sampler that fails does so when its order is needed") {
  const TupleDataset dataset = numbers(4);
  int calls = 0;
  const auto sampler = [&](const Order& current, std::int64_t) {
    if (calls++ > 0) throw std::runtime_error{"no more orders"};
    return current;
  };
  MultithreadIterator iterator{dataset, 2, {.order_sampler = sampler, .n_prefetch = 5}};
  CHECK(take(iterator, 1) == Batches{{0, 1}});
  CHECK_THROWS_WITH(iterator.next(), "no more orders");
  CHECK(iterator.samples_seen() == 2);
}

TEST_CASE("options out of range are refused") {
  const TupleDataset dataset = numbers(4);
  const auto make = [&](MultithreadOptions options, int batch_size = 2) {
    MultithreadIterator{dataset, batch_size, options};
  };
  check_error<ValueError>([&] { make({}, 0); }, {"batch_size: got 0"});
  check_error<ValueError>([&] { make({.n_threads = 0}); }, {"n_threads: got 0"});
  check_error<ValueError>([&] { make({.n_prefetch = 0}); }, {"n_prefetch: got 0"});
  check_error<ValueError>([&] { make({.timeout_seconds = 0.0}); }, {"timeout_seconds: got 0"});
  CHECK_FALSE(std::is_constructible_v<MultithreadIterator, TupleDataset, int>);
}

TEST_CASE("several loader threads on one bound processor are warned about once, with the mask") {
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || sched_setaffinity(0, sizeof one, &one) != 0) {
    WARN("skipped: one processor, or it cannot be chosen");
    return;
  }
  const TupleDataset dataset = numbers(4);
  const std::string text = standard_error([&] {
    MultithreadIterator single{dataset, 2, {.n_threads = 1}};
    MultithreadIterator first{dataset, 2, {.n_threads = 4}};
    MultithreadIterator second{dataset, 2, {.n_threads = 4}};
  });
  sched_setaffinity(0, sizeof before, &before);
  CHECK(count(text, "warning") == 1);
  CHECK_THAT(text, Catch::Contains("4 loader threads") && Catch::Contains("processor " + std::to_string(cpu)) &&
                       Catch::Contains("mask 0x" + std::string(cpu == 0 ? "1" : "")));
}
