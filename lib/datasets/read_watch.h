// ReadWatch: lets a loader see from outside which example a thread is reading, and ask it to stop between two.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace renkei {

/// Thrown inside a gather whose batch nobody wants any more. No std::exception, so that nobody takes it for an error;
/// it never leaves the loader.
class ReadCancelled {};

class ReadWatch {
 public:
  using Clock = std::chrono::steady_clock;

  std::int64_t index() const { return index_; }                ///< example being read, -1 before the first
  Clock::time_point since() const { return Clock::time_point{Clock::duration{since_.load()}}; }  ///< when that began
  void begin();                          ///< no example yet; the time runs from here
  void cancel() { cancelled_ = true; }   ///< the next note() throws

  /// The calling thread is about to read example i. Throws ReadCancelled if its watch says so.
  static void note(std::int64_t i);

 private:
  friend class ReadWatchScope;
  std::atomic<std::int64_t> index_{-1};
  std::atomic<Clock::rep> since_{0};
  std::atomic<bool> cancelled_{false};
};

/// The reads of this thread are noted in `watch` for the life of the scope.
class ReadWatchScope {
 public:
  explicit ReadWatchScope(ReadWatch& watch);
  ~ReadWatchScope();
  ReadWatchScope(const ReadWatchScope&) = delete;
  ReadWatchScope& operator=(const ReadWatchScope&) = delete;

 private:
  ReadWatch* previous_;
};

}  // namespace renkei
