#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct RMSpropOptions {
  double lr = 0.01;
  double alpha = 0.99;
  double eps = 1e-8;
  bool eps_inside_sqrt = false;
};

/// Tieleman and Hinton 2012:  ms = alpha ms + (1 - alpha) g^2,  p -= lr g / (sqrt(ms) + eps), or / sqrt(ms + eps).
/// State: ms.
class RMSprop final : public Optimizer {
 public:
  explicit RMSprop(const RMSpropOptions& options = {});

  Hyperparameter lr, alpha, eps;

 protected:
  void step(const UpdateStep& s) override;

 private:
  bool eps_inside_sqrt_;
};

}  // namespace renkei::optimizers
