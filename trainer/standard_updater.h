// StandardUpdater: training on one device with one iterator and one optimizer.
#pragma once

#include <functional>

#include <renkei/lib/device/device.h>
#include <renkei/lib/iterators/iterator.h>
#include <renkei/lib/links/loss_link.h>
#include <renkei/lib/optimizers/optimizer.h>
#include <renkei/trainer/updater.h>

namespace renkei {

/// The arrays of a batch as constants on `device`.
Variables to_variables(const Batch& batch, Device& device);

/// The loss of a batch, from the model that is to compute it (a replica has its own).
using LossFunction = std::function<Variable(Link& model, const Variables& batch)>;

namespace updaters {

struct StandardOptions {
  Device* device = nullptr;      ///< where the model goes and batches are sent; null: the current device
  LossFunction loss_func = {};   ///< none: the optimizer's target is a LossLink and computes the loss itself
};

class StandardUpdater : public Updater {
 public:
  /// Iterator and optimizer must outlive the updater. Throws StateError if the optimizer has no target yet, or the
  /// target is no LossLink and no loss_func is given.
  StandardUpdater(Iterator& iterator, Optimizer& optimizer, StandardOptions options = {});

  std::int64_t epoch() const override { return iterator_.epoch(); }
  double epoch_detail() const override { return iterator_.epoch_detail(); }
  std::optional<double> previous_epoch_detail() const override { return iterator_.previous_epoch_detail(); }
  bool is_new_epoch() const override { return iterator_.is_new_epoch(); }
  std::int64_t samples_seen() const override { return iterator_.samples_seen(); }
  std::int64_t epoch_size() const override { return iterator_.epoch_size(); }
  std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return {{"main", &optimizer_}}; }
  void finalize() override { iterator_.finalize(); }

  /// Chainer's keys: iterator:main/..., optimizer:main/..., model:main/..., iteration.
  void serialize(Serializer& s) override;

 protected:
  void update_core() override;

 private:
  Iterator& iterator_;
  Optimizer& optimizer_;
  Device& device_;
  LossFunction loss_func_;
};

}  // namespace updaters
}  // namespace renkei
