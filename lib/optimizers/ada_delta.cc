#include <renkei/lib/optimizers/ada_delta.h>

namespace renkei::optimizers {

AdaDelta::AdaDelta(const AdaDeltaOptions& options)
    : Optimizer{{{"msg"}, {"msdx"}}}, rho{*this, "rho", options.rho}, eps{*this, "eps", options.eps} {}

void AdaDelta::step(const UpdateStep& s) { s.run(kernels::AdaDeltaStep{s[rho], s[eps]}); }

}  // namespace renkei::optimizers
