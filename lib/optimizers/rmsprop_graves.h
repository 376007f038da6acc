#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct RMSpropGravesOptions {
  double lr = 1e-4;
  double alpha = 0.95;
  double momentum = 0.9;
  double eps = 1e-4;
};

/// Graves 2013, equations 38 to 45: RMSprop on the variance of the gradient, with momentum.   States: n, g, delta.
class RMSpropGraves final : public Optimizer {
 public:
  explicit RMSpropGraves(const RMSpropGravesOptions& options = {});

  Hyperparameter lr, alpha, momentum, eps;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
