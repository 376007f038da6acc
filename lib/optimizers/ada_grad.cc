#include <renkei/lib/optimizers/ada_grad.h>

namespace renkei::optimizers {

AdaGrad::AdaGrad(const AdaGradOptions& options)
    : Optimizer{{{"h"}}}, lr{*this, "lr", options.lr}, eps{*this, "eps", options.eps} {}

void AdaGrad::step(const UpdateStep& s) { s.run(kernels::AdaGradStep{s[lr], s[eps]}); }

}  // namespace renkei::optimizers
