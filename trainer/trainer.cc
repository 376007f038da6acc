#include <renkei/trainer/trainer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/optimizers/optimizer.h>
#include <renkei/lib/serializers/atomic_file.h>
#include <renkei/lib/serializers/npz.h>

namespace renkei {
namespace {

thread_local std::exception_ptr g_printed;

double monotonic_seconds() {
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

class FunctionExtension final : public Extension {
 public:
  explicit FunctionExtension(std::function<void(Trainer&)> function) : function_{std::move(function)} {}
  std::string default_name() const override { return "function"; }
  void call(Trainer& trainer) override { function_(trainer); }

 private:
  std::function<void(Trainer&)> function_;
};

/// Runs `action`; what it throws is printed after `what` and goes no further.
template <class Action>
void guarded(std::string_view what, const Action& action) noexcept {
  try {
    action();
  } catch (const std::exception& error) {
    fmt::print(stderr, "Exception in {}: {}\n", what, error.what());
  } catch (...) {
    fmt::print(stderr, "Exception in {}\n", what);
  }
}

bool has_state(Extension& extension) {
  Dictionary saved;
  Serializer saving = Serializer::saving(saved);
  extension.serialize(saving);
  return !saved.empty();
}

}  // namespace

/// Finalizes every extension and the updater exactly once, whatever ends the run; one that fails stops none.
class Trainer::FinalizeAtExit {
 public:
  FinalizeAtExit(const std::vector<Entry*>& entries, Updater& updater) : entries_{entries}, updater_{updater} {}
  FinalizeAtExit(const FinalizeAtExit&) = delete;
  FinalizeAtExit& operator=(const FinalizeAtExit&) = delete;
  ~FinalizeAtExit() {
    for (Entry* entry : entries_)
      guarded(fmt::format("finalize of {}", entry->name), [&] { entry->extension->finalize(); });
    guarded("finalize of the updater", [&] { updater_.finalize(); });
  }

 private:
  const std::vector<Entry*>& entries_;
  Updater& updater_;
};

Trainer::Trainer(Updater& updater, TriggerSpec stop, std::string out)
    : updater_{updater}, stop_{std::move(stop).as_limit()}, out_{std::move(out)} {
  add_observers();
}

Trainer::~Trainer() = default;

void Trainer::run() {
  if (ran_) throw StateError{"trainer: a trainer runs once; make a new one and resume from a snapshot"};
  ran_ = true;
  prepare_out();
  const std::vector<Entry*> entries = by_priority();
  const FinalizeAtExit finalize{entries, updater_};
  started_ = monotonic_seconds();
  try {
    initialize(entries);
    loop(entries);
  } catch (const std::exception& error) {
    report_failure(entries, error);
    throw;
  }
  earlier_seconds_ = elapsed_time();
  started_.reset();
}

void Trainer::loop(const std::vector<Entry*>& entries) {
  while (!stop_ || !(*stop_)(*this)) {
    observation_.clear();
    const ReporterScope scope{reporter_, observation_};
    in_iteration_ = true;
    updater_.update();                    // batch, forward, backward, step
    for (Entry* entry : entries)          // sorted by priority: writers, editors, readers
      if ((*entry->trigger)(*this)) entry->extension->call(*this);
    run_deferred();
  }
}

void Trainer::initialize(const std::vector<Entry*>& entries) {
  for (Entry* entry : entries) entry->extension->restore(*this);
  add_observers();  // links may have been added since construction
  for (Entry* entry : entries)
    if (!entry->trigger->finished()) entry->extension->initialize(*this);
  if (!is_before_training()) return;
  observation_.clear();
  const ReporterScope scope{reporter_, observation_};
  in_iteration_ = true;
  for (Entry* entry : entries)
    if (entry->call_before_training) entry->extension->call(*this);
  run_deferred();
}

void Trainer::run_deferred() {
  in_iteration_ = false;
  for (const auto& action : std::exchange(deferred_, {})) action();
}

void Trainer::after_iteration(std::function<void()> action) {
  if (!in_iteration_) return action();
  deferred_.push_back(std::move(action));
}

void Trainer::report_failure(const std::vector<Entry*>& entries, const std::exception& error) noexcept {
  fmt::print(stderr, "Exception in main training loop: {}\n", error.what());
  std::fflush(stderr);
  g_printed = std::current_exception();
  in_iteration_ = false;
  deferred_.clear();
  for (Entry* entry : entries)
    guarded(fmt::format("error handler of {}", entry->name), [&] { entry->extension->on_error(*this, error); });
}

bool was_printed(const std::exception_ptr& error) { return error && error == g_printed; }

void Trainer::extend(std::function<void(Trainer&)> function, ExtendOptions options) {
  add(std::make_unique<FunctionExtension>(std::move(function)), std::move(options));
}

void Trainer::add(std::unique_ptr<Extension> extension, ExtendOptions options) {
  const std::string wanted = options.name.empty() ? extension->default_name() : options.name;
  if (wanted == "training") throw ValueError{"name of an extension", wanted, "another name; this one is reserved"};
  const auto taken = [&](const std::string& name) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry->name == name; });
  };
  std::string name = wanted;
  for (int suffix = 1; taken(name); ++suffix) name = fmt::format("{}_{}", wanted, suffix);
  TriggerSpec trigger = options.trigger.is_given() ? std::move(options.trigger) : extension->default_trigger();
  const int order = options.priority.value_or(extension->default_priority());
  entries_.push_back(std::make_unique<Entry>(Entry{std::move(name), std::move(extension), std::move(trigger).as_interval(),
                                                   order, options.call_before_training}));
}

std::vector<Trainer::Entry*> Trainer::by_priority() {
  std::vector<Entry*> entries;
  for (const auto& entry : entries_) entries.push_back(entry.get());
  std::stable_sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->priority > b->priority; });
  return entries;
}

void Trainer::prepare_out() const {
  std::error_code failure;
  std::filesystem::create_directories(out_, failure);
  if (failure) throw FileError{out_, fmt::format("cannot create the output folder: {}", failure.message())};
  const AtomicFile probe{(std::filesystem::path{out_} / "log").string()};  // never committed; fails early if nothing can be written
}

void Trainer::add_observers() {
  for (const auto& [name, optimizer] : updater_.optimizers())
    for (const auto& [path, link] : optimizer->target().named_links())
      reporter_.add_observer(path.empty() ? name : fmt::format("{}/{}", name, path), link);
}

double Trainer::elapsed_time() const {
  if (!started_) return earlier_seconds_;
  return earlier_seconds_ + (monotonic_seconds() - *started_);
}

Extension& Trainer::get_extension(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const auto& entry : entries_) {
    if (entry->name == name) return *entry->extension;
    names.push_back(entry->name);
  }
  throw ValueError{"extension", name, fmt::format("one of: {}", fmt::join(names, ", "))};
}

std::string Trainer::name_of(const Extension& extension) const {
  for (const auto& entry : entries_)
    if (entry->extension.get() == &extension) return entry->name;
  return extension.default_name();
}

void Trainer::resume(const std::string& path) { resume(path, read_npz(path)); }

void Trainer::resume(const std::string& path, const Dictionary& snapshot) {
  expect_kind(path, snapshot, NpzKind::snapshot);
  Serializer s = Serializer::loading(snapshot, path);
  serialize(s);
  s.child("updater").finish();  // nothing in model and optimizers may be left over; of extensions it may
}

void Trainer::serialize(Serializer& s) {
  s.object("updater", updater_);
  if (stop_) {
    if (!s.is_loading() || s.contains_below("stop_trigger")) {
      s.object("stop_trigger", *stop_);
    } else {
      stop_->resume_without_state();
    }
  }
  serialize_extensions(s);

  RandomGenerator& generator = default_generator();
  auto seed = static_cast<std::int64_t>(generator.seed());
  auto next_stream = static_cast<std::int64_t>(generator.next_stream());
  if (!s.is_loading() || s.contains("random_state/seed")) {  // Chainer's snapshots have none
    s("random_state/seed", seed);
    s("random_state/next_stream", next_stream);
    generator.reset(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(next_stream));
  }
  double seconds = elapsed_time();
  s("_snapshot_elapsed_time", seconds);
  if (s.is_loading()) {
    earlier_seconds_ = seconds;
    if (started_) started_ = monotonic_seconds();
  }
}

void Trainer::serialize_extensions(Serializer& s) {
  for (const auto& entry : entries_) {
    const std::string state_key = "extensions/" + entry->name, trigger_key = "extension_triggers/" + entry->name;
    Serializer state = s.child(state_key), trigger = s.child(trigger_key);
    if (!s.is_loading() || s.contains_below(state_key)) {
      entry->extension->serialize(state);
    } else if (has_state(*entry->extension)) {
      fmt::print(stderr, "{}: holds no state of extension {}; it starts fresh\n", s.origin(), entry->name);
    }
    if (!s.is_loading() || s.contains_below(trigger_key)) {
      entry->trigger->serialize(trigger);
    } else {
      entry->trigger->resume_without_state();
    }
  }
}

}  // namespace renkei
