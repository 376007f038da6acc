// Evaluator: mean loss, accuracy, ... of a model over a data set, in test mode and without a graph.
#pragma once

#include <functional>

#include <renkei/lib/device/device.h>
#include <renkei/lib/iterators/iterator.h>
#include <renkei/lib/links/loss_link.h>
#include <renkei/lib/reporter/observation.h>
#include <renkei/trainer/extension.h>

namespace renkei::extensions {

struct EvaluatorOptions {
  Device* device = nullptr;  ///< where batches are sent; null: the device current in the call
  std::function<void(const Variables& batch)> eval_func = {};  ///< none: the target's loss
};

class Evaluator final : public Extension {
 public:
  /// Iterator and target must outlive it. Throws StateError for an iterator that repeats (it would never end) and for
  /// a target that is no LossLink when no eval_func is given.
  Evaluator(Iterator& iterator, Link& target, EvaluatorOptions options = {});

  std::string default_name() const override { return "validation"; }
  TriggerSpec default_trigger() const override { return {1, "epoch"}; }
  int default_priority() const override { return priority::kWriter; }

  /// Evaluates and reports the means: "validation/main/loss".
  void call(Trainer& trainer) override;

  /// Runs over the data set from its start. Every report counts by its weight, so that each sample counts once
  /// whatever the batch size. Keys begin with `prefix`, which may be empty.
  Observation evaluate(const std::string& prefix = "main");

  void finalize() override { iterator_.finalize(); }

 private:
  Iterator& iterator_;
  Link& target_;
  EvaluatorOptions options_;
};

}  // namespace renkei::extensions
