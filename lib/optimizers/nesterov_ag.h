#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct NesterovAGOptions {
  double lr = 0.01;
  double momentum = 0.9;
};

/// Nesterov's accelerated gradient (Bengio et al. 2013):  v = m v - lr g,  p += m^2 v - (1 + m) lr g with the new v.
/// State: v.
class NesterovAG final : public Optimizer {
 public:
  explicit NesterovAG(const NesterovAGOptions& options = {});

  Hyperparameter lr, momentum;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
