#include <renkei/lib/optimizers/corrected_momentum_sgd.h>

namespace renkei::optimizers {

CorrectedMomentumSGD::CorrectedMomentumSGD(const CorrectedMomentumSGDOptions& options)
    : Optimizer{{{"v"}}}, lr{*this, "lr", options.lr}, momentum{*this, "momentum", options.momentum} {}

void CorrectedMomentumSGD::step(const UpdateStep& s) { s.run(kernels::CorrectedMomentumSgdStep{s[lr], s[momentum]}); }

}  // namespace renkei::optimizers
