#include <renkei/lib/optimizers/momentum_sgd.h>

namespace renkei::optimizers {

MomentumSGD::MomentumSGD(const MomentumSGDOptions& options)
    : Optimizer{{{"v"}}}, lr{*this, "lr", options.lr}, momentum{*this, "momentum", options.momentum} {}

void MomentumSGD::step(const UpdateStep& s) { s.run(kernels::MomentumSgdStep{s[lr], s[momentum]}); }

}  // namespace renkei::optimizers
