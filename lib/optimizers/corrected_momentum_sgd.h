#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct CorrectedMomentumSGDOptions {
  double lr = 0.01;
  double momentum = 0.9;
};

/// Momentum that keeps its meaning when lr changes:  v = momentum v - g,  p += lr v.   State: v.
class CorrectedMomentumSGD final : public Optimizer {
 public:
  explicit CorrectedMomentumSGD(const CorrectedMomentumSGDOptions& options = {});

  Hyperparameter lr, momentum;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
