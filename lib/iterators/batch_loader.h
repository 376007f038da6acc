// BatchLoader: threads that make batches. A dataset that hangs must not hang the program, so a thread that does not
// come back from a read is left behind: it shares the state it needs, and ends with the process or when the read
// returns.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include <renkei/lib/datasets/read_watch.h>
#include <renkei/lib/iterators/epoch_walk.h>

namespace renkei::iterators {

/// A batch in the making. The loader's threads own everything below `after` until wait() has returned.
struct LoadJob {
  explicit LoadJob(Step step) : indices{std::move(step.indices)}, after{std::move(step.after)} { watch.begin(); }

  std::vector<std::int64_t> indices;
  Progress after;
  ReadWatch watch;
  Arrays arrays = {};
  std::exception_ptr error = nullptr;
  bool done = false;
};

class BatchLoader {
 public:
  /// Starts the threads. `limit`: how long one read may take.
  BatchLoader(const Dataset& dataset, Converter converter, int n_threads, std::chrono::duration<double> limit);
  /// Cancels what is left and ends the threads: waits for reads under way, each no longer than its limit. A thread that
  /// is not back then is left behind, with a warning; the data set must then live until the process ends.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// Jobs are started in the order in which they come.
  void submit(std::shared_ptr<LoadJob> job);

  /// Waits until the job is done; throws what its read threw, or TimeoutError naming the example whose read takes
  /// longer than the limit.
  Arrays wait(LoadJob& job);

  /// Forgets all jobs; those under way stop before their next example.
  void cancel();

 private:
  struct Shared;
  static void work(std::shared_ptr<Shared> shared, std::size_t me);
  void shut_down() noexcept;

  std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;
};

}  // namespace renkei::iterators
