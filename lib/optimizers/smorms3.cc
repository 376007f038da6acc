#include <renkei/lib/optimizers/smorms3.h>

namespace renkei::optimizers {

SMORMS3::SMORMS3(const SMORMS3Options& options)
    : Optimizer{{{"mem", 1.0}, {"g"}, {"g2"}}}, lr{*this, "lr", options.lr}, eps{*this, "eps", options.eps} {}

void SMORMS3::step(const UpdateStep& s) { s.run(kernels::Smorms3Step{s[lr], s[eps]}); }

}  // namespace renkei::optimizers
