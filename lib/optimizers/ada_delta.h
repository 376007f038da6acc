#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct AdaDeltaOptions {
  double rho = 0.95;
  double eps = 1e-6;
};

/// Zeiler 2012:  msg = rho msg + (1 - rho) g^2,  dx = sqrt((msdx + eps) / (msg + eps)) g,
/// msdx = rho msdx + (1 - rho) dx^2,  p -= dx.   States: msg, msdx.
class AdaDelta final : public Optimizer {
 public:
  explicit AdaDelta(const AdaDeltaOptions& options = {});

  Hyperparameter rho, eps;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
