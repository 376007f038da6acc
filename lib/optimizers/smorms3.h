#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct SMORMS3Options {
  double lr = 0.001;
  double eps = 1e-16;
};

/// Funk 2015 ("RMSprop loses to SMORMS3"): a memory length per element that adapts itself.   States: mem, g, g2.
class SMORMS3 final : public Optimizer {
 public:
  explicit SMORMS3(const SMORMS3Options& options = {});

  Hyperparameter lr, eps;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
