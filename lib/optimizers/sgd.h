#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct SgdOptions {
  double lr = 0.01;
};

/// Stochastic gradient descent:  p -= lr g.
class SGD final : public Optimizer {
 public:
  explicit SGD(const SgdOptions& options = {}) : lr{*this, "lr", options.lr} {}
  explicit SGD(double rate) : SGD{SgdOptions{rate}} {}

  Hyperparameter lr;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
