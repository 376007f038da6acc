#include <renkei/lib/optimizers/rmsprop.h>

namespace renkei::optimizers {

RMSprop::RMSprop(const RMSpropOptions& options)
    : Optimizer{{{"ms"}}},
      lr{*this, "lr", options.lr},
      alpha{*this, "alpha", options.alpha},
      eps{*this, "eps", options.eps},
      eps_inside_sqrt_{options.eps_inside_sqrt} {}

void RMSprop::step(const UpdateStep& s) {
  const double epsilon = s.representable(eps);
  s.run(kernels::RmsPropStep{s[lr], s[alpha], eps_inside_sqrt_ ? epsilon : 0.0, eps_inside_sqrt_ ? 0.0 : epsilon});
}

}  // namespace renkei::optimizers
