#include <renkei/lib/optimizers/rmsprop_graves.h>

namespace renkei::optimizers {

RMSpropGraves::RMSpropGraves(const RMSpropGravesOptions& options)
    : Optimizer{{{"n"}, {"g"}, {"delta"}}},
      lr{*this, "lr", options.lr},
      alpha{*this, "alpha", options.alpha},
      momentum{*this, "momentum", options.momentum},
      eps{*this, "eps", options.eps} {}

void RMSpropGraves::step(const UpdateStep& s) {
  s.run(kernels::RmsPropGravesStep{s[lr], s[alpha], s[momentum], s[eps]});
}

}  // namespace renkei::optimizers
