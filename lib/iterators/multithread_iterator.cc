#include <renkei/lib/iterators/multithread_iterator.h>

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/iterators/batch_loader.h>

namespace renkei::iterators {
namespace {

/// A launcher that binds each process to one processor (and OMP_PROC_BIND) binds the threads started later, too.
void warn_if_bound(int n_threads) {
  static std::atomic<bool> warned{false};
  cpu_set_t mask;
  if (n_threads < 2 || sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) != 1) return;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online < 2 || warned.exchange(true)) return;
  int cpu = 0;
  while (!CPU_ISSET(cpu, &mask)) ++cpu;
  // Written as taskset does: one bit per processor.
  const std::string hex = fmt::format("{:x}{:0>{}}", 1 << cpu % 4, "", cpu / 4);
  fmt::print(stderr,
             "renkei: warning: {} loader threads share one processor with everything else: the process is bound to "
             "processor {} (mask 0x{}) of {}; start it unbound (mpirun --bind-to none) or use one loader thread\n",
             n_threads, cpu, hex, online);
}

template <class T>
T at_least_one(std::string_view name, T value) {
  if (value < 1) throw ValueError{name, value, "at least 1"};
  return value;
}

}  // namespace

MultithreadIterator::MultithreadIterator(const Dataset& dataset, std::int64_t batch_size, MultithreadOptions options)
    : WalkingIterator{dataset,
                      batch_size,
                      {options.repeat, options.shuffle, options.seed, std::move(options.order_sampler)}},
      dataset_{dataset},
      converter_{std::move(options.converter)},
      n_threads_{at_least_one("n_threads", options.n_threads)},
      n_prefetch_{static_cast<std::size_t>(at_least_one("n_prefetch", options.n_prefetch.value_or(n_threads_ + 1)))},
      timeout_seconds_{options.timeout_seconds} {
  constexpr double kLongest = 1e9;  // seconds; the clock counts nanoseconds in 64 bits
  if (!(options.timeout_seconds > 0.0 && options.timeout_seconds <= kLongest))
    throw ValueError{"timeout_seconds", options.timeout_seconds, "above 0 and at most 1e9"};
  warn_if_bound(n_threads_);
}

MultithreadIterator::~MultithreadIterator() = default;

std::optional<Batch> MultithreadIterator::next() {
  if (!loader_) {
    const std::chrono::duration<double> limit{timeout_seconds_};
    loader_ = std::make_unique<BatchLoader>(dataset_, converter_, n_threads_, limit);
  }
  if (jobs_.empty() && !plan()) {
    mark_end();
    return std::nullopt;
  }
  plan_ahead();
  const std::shared_ptr<LoadJob> job = jobs_.front();
  Batch batch;
  try {
    batch.arrays = loader_->wait(*job);
  } catch (const TimeoutError&) {
    finalize();  // leaves the thread behind
    throw;
  } catch (...) {
    forget_batches();
    throw;
  }
  jobs_.pop_front();
  batch.indices = std::move(job->indices);
  advance(std::move(job->after));
  plan_ahead();
  return batch;
}

bool MultithreadIterator::plan() {
  auto step = walk().step(planned_ ? *planned_ : progress());
  if (!step) return false;
  planned_ = step->after;
  jobs_.push_back(std::make_shared<LoadJob>(std::move(*step)));
  loader_->submit(jobs_.back());
  return true;
}

void MultithreadIterator::plan_ahead() {
  try {
    while (jobs_.size() < n_prefetch_ && plan()) {}
  } catch (...) {
    // An order sampler that fails. The batches before are good; the call that needs the order will fail.
  }
}

void MultithreadIterator::forget_batches() {
  if (loader_) loader_->cancel();
  jobs_.clear();
  planned_.reset();
}

void MultithreadIterator::finalize() {
  forget_batches();
  loader_.reset();
}

}  // namespace renkei::iterators
