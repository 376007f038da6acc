#pragma once

#include <renkei/lib/optimizers/optimizer.h>

namespace renkei::optimizers {

struct AdamOptions {
  double alpha = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double eta = 1.0;                ///< schedule multiplier of step and decay (Loshchilov and Hutter 2019)
  double weight_decay_rate = 0.0;  ///< decoupled decay, multiplied by eta but, as in Chainer, not by alpha
  bool amsgrad = false;            ///< divide by the largest v so far (Reddi et al. 2018)
  bool adabound = false;           ///< keep the step size between bounds that close in on final_lr (Luo et al. 2019)
  double final_lr = 0.1;
  double gamma = 1e-3;
};

/// Kingma and Ba 2015:  m += (1 - beta1)(g - m),  v += (1 - beta2)(g^2 - v),
///   p = (1 - eta weight_decay_rate) p - eta alpha_t m / (sqrt(v) + eps),
///   alpha_t = alpha sqrt(1 - beta2^t) / (1 - beta1^t).
/// The bias is corrected in the step size, so eps stands beside the uncorrected root. States: m, v, with amsgrad vhat.
class Adam : public Optimizer {
 public:
  explicit Adam(const AdamOptions& options = {});

  Hyperparameter alpha, beta1, beta2, eps, eta, weight_decay_rate, final_lr, gamma;
  /// alpha at setup: the bounds of AdaBound scale with alpha / initial_alpha.
  Hyperparameter initial_alpha;

  /// The bias-corrected step size of the last step. Throws StateError before the first one.
  double alpha_t() const;

 protected:
  void step(const UpdateStep& s) override;
  void on_setup() override { initial_alpha = alpha; }

 private:
  bool amsgrad_, adabound_;
};

struct AdamWOptions {
  double alpha = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, eta = 1.0, weight_decay_rate = 0.0;
};

/// Adam with decoupled weight decay under the name it is known by. The rate is not multiplied by alpha: where other
/// frameworks say weight_decay 0.01 at alpha 0.001, say weight_decay_rate 1e-5.
struct AdamW final : Adam {
  explicit AdamW(const AdamWOptions& o = {})
      : Adam{{o.alpha, o.beta1, o.beta2, o.eps, o.eta, o.weight_decay_rate}} {}
};

struct AmsGradOptions {
  double alpha = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, eta = 1.0;
};

struct AMSGrad final : Adam {
  explicit AMSGrad(const AmsGradOptions& o = {}) : Adam{{o.alpha, o.beta1, o.beta2, o.eps, o.eta, 0.0, true}} {}
};

struct AdaBoundOptions {
  double alpha = 0.001, beta1 = 0.9, beta2 = 0.999, final_lr = 0.1, gamma = 1e-3, eps = 1e-8, eta = 1.0;
};

struct AdaBound final : Adam {
  explicit AdaBound(const AdaBoundOptions& o = {})
      : Adam{{o.alpha, o.beta1, o.beta2, o.eps, o.eta, 0.0, false, true, o.final_lr, o.gamma}} {}
};

struct AMSBound final : Adam {
  explicit AMSBound(const AdaBoundOptions& o = {})
      : Adam{{o.alpha, o.beta1, o.beta2, o.eps, o.eta, 0.0, true, true, o.final_lr, o.gamma}} {}
};

}  // namespace renkei::optimizers
