#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct MSVAGOptions {
  double lr = 0.1;
  double beta = 0.9;
  double eta = 1.0;
  double weight_decay_rate = 0.0;
};

/// Momentum stochastic variance-adapted gradient (Balles and Hennig 2018). Decay is multiplied by eta, not by lr.
/// States: m, v.
class MSVAG final : public Optimizer {
 public:
  explicit MSVAG(const MSVAGOptions& options = {});

  Hyperparameter lr, beta, eta, weight_decay_rate;

 protected:
  void step(const UpdateStep& s) override;
};

}  // namespace renkei::optimizers
