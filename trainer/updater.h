// Updater: one training step. It draws a batch, computes the loss and its gradients, and steps the optimizers.
// The trainer asks it for the progress of the training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace renkei {

class Optimizer;
class Serializer;

class Updater {
 public:
  virtual ~Updater() = default;
  Updater() = default;
  Updater(const Updater&) = delete;
  Updater& operator=(const Updater&) = delete;

  /// Runs one iteration and counts it. If it throws, the iteration does not count.
  void update() {
    update_core();
    ++iteration_;
  }

  std::int64_t iteration() const { return iteration_; }  ///< finished iterations

  // Progress of the training data; counts are exact, epoch_detail is for display.
  virtual std::int64_t epoch() const = 0;
  virtual double epoch_detail() const = 0;
  virtual std::optional<double> previous_epoch_detail() const = 0;
  virtual bool is_new_epoch() const = 0;
  virtual std::int64_t samples_seen() const = 0;
  virtual std::int64_t epoch_size() const = 0;

  /// All optimizers by name; the first is the main one.
  virtual std::vector<std::pair<std::string, Optimizer*>> optimizers() const = 0;

  /// Ends what the updater started (threads of iterators); called once when training ends, also after an error.
  virtual void finalize() {}

  virtual void serialize(Serializer& s) = 0;

 protected:
  virtual void update_core() = 0;
  void serialize_iteration(Serializer& s);

 private:
  std::int64_t iteration_ = 0;
};

}  // namespace renkei
