// Trainer: the training loop. An updater does one step after the other; extensions hook in when their triggers fire.
//
//   Trainer trainer{updater, {20, "epoch"}, "result"};
//   trainer.extend(extensions::LogReport{});
//   trainer.run();
//
// Belongs to one thread. The updater, and what it refers to, must outlive the trainer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <renkei/lib/reporter/reporter.h>
#include <renkei/lib/serializers/serializer.h>
#include <renkei/trainer/extension.h>
#include <renkei/trainer/updater.h>

namespace renkei {

class Trainer {
 public:
  /// `stop`: when training ends, as {20, "epoch"} (reached or passed) or a trigger; not given: never.
  /// `out`: folder for logs and snapshots, created by run().
  explicit Trainer(Updater& updater, TriggerSpec stop = {}, std::string out = "result");
  ~Trainer();

  /// Adds an extension and returns it. ValueError for the name "training".
  template <class E>
    requires std::is_base_of_v<Extension, E>
  E& extend(E extension, ExtendOptions options = {}) {
    auto owned = std::make_unique<E>(std::move(extension));
    E& added = *owned;
    add(std::move(owned), std::move(options));
    return added;
  }
  void extend(std::function<void(Trainer&)> function, ExtendOptions options = {});

  /// The training loop; once per trainer. An exception is printed, told to the extensions, and thrown on after
  /// everything was finalized.
  void run();

  /// Loads a snapshot. Its model and optimizers must match (MismatchError names the first difference); an extension
  /// that it does not know starts fresh, with a notice on stderr.
  void resume(const std::string& path);
  /// The same from what was read of the file `path`.
  void resume(const std::string& path, const Dictionary& snapshot);

  /// Runs `action` when all extensions of the present iteration have been called; outside of an iteration at once.
  /// A snapshot taken there holds the state at the end of the iteration, whatever the order of the extensions.
  void after_iteration(std::function<void()> action);

  Updater& updater() const { return updater_; }
  const std::string& out() const { return out_; }
  const Trigger* stop_trigger() const { return stop_.get(); }  ///< null: never stops
  Observation& observation() { return observation_; }          ///< of the present or last iteration
  const Observation& observation() const { return observation_; }
  bool is_before_training() const { return updater_.iteration() == 0; }
  double elapsed_time() const;  ///< seconds of training, earlier runs included

  Extension& get_extension(std::string_view name) const;  ///< ValueError lists the names there are
  std::string name_of(const Extension& extension) const;  ///< name under which it was added

  /// Chainer's keys, and random_state/... for the default generator.
  void serialize(Serializer& s);

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<Extension> extension;
    std::unique_ptr<Trigger> trigger;
    int priority;
    bool call_before_training;
  };
  class FinalizeAtExit;

  void add(std::unique_ptr<Extension> extension, ExtendOptions options);
  void prepare_out() const;
  void add_observers();
  std::vector<Entry*> by_priority();
  void initialize(const std::vector<Entry*>& entries);
  void loop(const std::vector<Entry*>& entries);
  void run_deferred();
  void report_failure(const std::vector<Entry*>& entries, const std::exception& error) noexcept;
  void serialize_extensions(Serializer& s);

  Updater& updater_;
  std::unique_ptr<Trigger> stop_;
  std::string out_;
  std::vector<std::unique_ptr<Entry>> entries_;
  Reporter reporter_;
  Observation observation_;
  std::vector<std::function<void()>> deferred_;
  bool in_iteration_ = false, ran_ = false;
  double earlier_seconds_ = 0.0;  // of runs that were resumed
  std::optional<double> started_;  // seconds of a monotonic clock; <chrono> would cost each script a third of a second
};

/// Whether `error` is the one that a trainer of this thread has printed already.
bool was_printed(const std::exception_ptr& error);

}  // namespace renkei
