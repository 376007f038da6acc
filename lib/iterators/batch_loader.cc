#include <renkei/lib/iterators/batch_loader.h>

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/iterators/load_batch.h>

namespace renkei::iterators {
namespace {

using Clock = ReadWatch::Clock;

/// Threads started in this scope leave all signals to the others: Ctrl-C goes to the main thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

std::string what_is_read(const LoadJob& job) {
  const std::int64_t example = job.watch.index();
  return example >= 0 ? fmt::format("example {}", example) : name_examples(job.indices);
}

}  // namespace

struct BatchLoader::Shared {
  struct Worker {
    std::shared_ptr<LoadJob> job = nullptr;  // under way
    bool ended = false;
  };

  Shared(const Dataset& dataset, Converter converter, std::size_t n_threads, Clock::duration limit)
      : dataset{dataset}, converter{std::move(converter)}, limit{limit}, workers(n_threads) {}

  const Dataset& dataset;
  const Converter converter;
  const Clock::duration limit;

  std::mutex mutex;  // guards what follows
  std::condition_variable work_comes, work_is_done;
  std::deque<std::shared_ptr<LoadJob>> queue = {};
  std::vector<Worker> workers;
  bool stop = false;

  void cancel() {
    queue.clear();
    for (const Worker& worker : workers)
      if (worker.job) worker.job->watch.cancel();
  }

  bool overdue(const LoadJob& job) const { return Clock::now() >= job.watch.since() + limit; }

  /// Waits for a change, or until the read under way in `job` is overdue.
  void wait_for(const LoadJob& job, std::unique_lock<std::mutex>& lock) {
    work_is_done.wait_until(lock, job.watch.since() + limit);
  }

  [[noreturn]] void throw_timeout(const LoadJob& job) const {
    const LoadJob* slow = &job;
    for (const Worker& worker : workers)  // a job that waits for a thread waits for another's read
      if (worker.job && worker.job->watch.since() < slow->watch.since()) slow = worker.job.get();
    throw TimeoutError{fmt::format("reading {} takes longer than {} s (timeout_seconds)", what_is_read(*slow),
                                   std::chrono::duration<double>{limit}.count())};
  }
};

BatchLoader::BatchLoader(const Dataset& dataset, Converter converter, int n_threads,
                         std::chrono::duration<double> limit)
    : shared_{std::make_shared<Shared>(dataset, std::move(converter), static_cast<std::size_t>(n_threads),
                                       std::chrono::duration_cast<Clock::duration>(limit))} {
  const SignalsBlocked blocked;
  try {
    for (std::size_t i = 0; i < shared_->workers.size(); ++i) threads_.emplace_back(work, shared_, i);
  } catch (...) {
    shut_down();
    throw;
  }
}

BatchLoader::~BatchLoader() { shut_down(); }

void BatchLoader::submit(std::shared_ptr<LoadJob> job) {
  const std::lock_guard lock{shared_->mutex};
  shared_->queue.push_back(std::move(job));
  shared_->work_comes.notify_one();
}

Arrays BatchLoader::wait(LoadJob& job) {
  std::unique_lock lock{shared_->mutex};
  while (!job.done) {
    if (shared_->overdue(job)) shared_->throw_timeout(job);
    shared_->wait_for(job, lock);
  }
  if (job.error) std::rethrow_exception(std::move(job.error));
  return std::move(job.arrays);
}

void BatchLoader::cancel() {
  const std::lock_guard lock{shared_->mutex};
  shared_->cancel();
}

void BatchLoader::work(std::shared_ptr<Shared> shared, std::size_t me) {
  pthread_setname_np(pthread_self(), "renkei-loader");
  std::unique_lock lock{shared->mutex};
  while (true) {
    shared->work_comes.wait(lock, [&] { return shared->stop || !shared->queue.empty(); });
    if (shared->stop) break;
    const std::shared_ptr<LoadJob> job = std::move(shared->queue.front());
    shared->queue.pop_front();
    shared->workers[me].job = job;
    job->watch.begin();  // while locked: the time in the queue is not the read's
    lock.unlock();
    Arrays arrays;
    std::exception_ptr error;
    try {
      arrays = load_batch(shared->dataset, shared->converter, job->indices, job->watch);
    } catch (...) {  // ReadCancelled as well: nobody waits for that job
      error = std::current_exception();
    }
    lock.lock();
    job->arrays = std::move(arrays);
    job->error = std::move(error);
    job->done = true;
    shared->workers[me].job = nullptr;
    shared->work_is_done.notify_all();
  }
  shared->workers[me].ended = true;
  shared->work_is_done.notify_all();
}

void BatchLoader::shut_down() noexcept {
  std::unique_lock lock{shared_->mutex};
  shared_->stop = true;
  shared_->cancel();
  shared_->work_comes.notify_all();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Shared::Worker& worker = shared_->workers[i];
    while (!worker.ended && !(worker.job && shared_->overdue(*worker.job))) {
      if (worker.job) {
        shared_->wait_for(*worker.job, lock);
      } else {
        shared_->work_is_done.wait(lock);
      }
    }
    if (worker.ended) {
      lock.unlock();
      threads_[i].join();
      lock.lock();
    } else {
      fmt::print(stderr, "renkei: warning: a loader thread is left behind; it does not come back from reading {}\n",
                 what_is_read(*worker.job));
      threads_[i].detach();
    }
  }
}

}  // namespace renkei::iterators
