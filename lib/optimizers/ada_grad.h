#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct AdaGradOptions {
  double lr = 0.001;
  double eps = 1e-8;
};

/// Duchi et al. 2011:  h += g^2,  p -= lr g / (sqrt(h) + eps).   State: h.
class AdaGrad final : public Optimizer {
 public:
  explicit AdaGrad(const AdaGradOptions& options = {});

  Hyperparameter lr, eps;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
