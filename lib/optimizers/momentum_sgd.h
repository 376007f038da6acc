#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct MomentumSGDOptions {
  double lr = 0.01;
  double momentum = 0.9;
};

/// SGD with momentum:  v = momentum v - lr g,  p += v.   State: v.
class MomentumSGD final : public Optimizer {
 public:
  explicit MomentumSGD(const MomentumSGDOptions& options = {});

  Hyperparameter lr, momentum;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
