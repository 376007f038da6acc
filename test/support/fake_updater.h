// Stand-ins that make a training of nothing: an updater that only counts samples, an extension made of lambdas.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <renkei/lib/serializers/serializer.h>
#include <renkei/trainer/extension.h>
#include <renkei/trainer/trainer.h>
#include <renkei/trainer/updater.h>

namespace renkei::test {

class FakeUpdater final : public Updater {
 public:
  explicit FakeUpdater(std::int64_t size = 10, std::int64_t batch = 2) : size_{size}, batch_{batch} {}

  std::function<void(std::int64_t iteration)> step = {};  ///< called with the number of the iteration; may throw
  std::vector<std::pair<std::string, Optimizer*>> known_optimizers = {};
  int finalized = 0;

  std::int64_t epoch() const override { return samples_ / size_; }
  double epoch_detail() const override { return static_cast<double>(samples_) / static_cast<double>(size_); }
  std::optional<double> previous_epoch_detail() const override {
    if (samples_ == 0) return std::nullopt;
    return static_cast<double>(samples_ - batch_) / static_cast<double>(size_);
  }
  bool is_new_epoch() const override { return samples_ > 0 && epoch() != (samples_ - batch_) / size_; }
  std::int64_t samples_seen() const override { return samples_; }
  std::int64_t epoch_size() const override { return size_; }
  std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return known_optimizers; }
  void finalize() override { ++finalized; }
  void serialize(Serializer& s) override {
    s("samples", samples_);
    serialize_iteration(s);
  }

 protected:
  void update_core() override {
    if (step) step(iteration() + 1);
    samples_ += batch_;
  }

 private:
  std::int64_t size_, batch_, samples_ = 0;
};

/// An extension each of whose hooks is a lambda, or does nothing.
struct FakeExtension final : Extension {
  std::string name = "fake";
  int order = priority::kReader;
  std::function<void(Trainer&)> on_restore = {}, on_initialize = {}, on_call = {};
  std::function<void(const std::exception&)> on_failure = {};
  std::function<void()> on_finalize = {};
  std::function<void(Serializer&)> on_serialize = {};

  std::string default_name() const override { return name; }
  int default_priority() const override { return order; }
  void restore(Trainer& trainer) override {
    if (on_restore) on_restore(trainer);
  }
  void initialize(Trainer& trainer) override {
    if (on_initialize) on_initialize(trainer);
  }
  void call(Trainer& trainer) override {
    if (on_call) on_call(trainer);
  }
  void on_error(Trainer&, const std::exception& error) override {
    if (on_failure) on_failure(error);
  }
  void finalize() override {
    if (on_finalize) on_finalize();
  }
  void serialize(Serializer& s) override {
    if (on_serialize) on_serialize(s);
  }
};

inline FakeExtension fake(std::string name) {
  FakeExtension extension;
  extension.name = std::move(name);
  return extension;
}

/// What an object saves.
template <class Object>
Dictionary saved(Object& object) {
  Dictionary dictionary;
  Serializer s = Serializer::saving(dictionary);
  object.serialize(s);
  return dictionary;
}

/// What a trainer saves, without the time it took.
inline Dictionary state_of(Trainer& trainer) {
  Dictionary state = saved(trainer);
  state.erase("_snapshot_elapsed_time");
  return state;
}

}  // namespace renkei::test
