#include <renkei/lib/optimizers/nesterov_ag.h>

namespace renkei::optimizers {

NesterovAG::NesterovAG(const NesterovAGOptions& options)
    : Optimizer{{{"v"}}}, lr{*this, "lr", options.lr}, momentum{*this, "momentum", options.momentum} {}

void NesterovAG::step(const UpdateStep& s) { s.run(kernels::NesterovAgStep{s[lr], s[momentum]}); }

}  // namespace renkei::optimizers
