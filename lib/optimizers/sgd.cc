#include <renkei/lib/optimizers/sgd.h>

namespace renkei::optimizers {

void SGD::step(const UpdateStep& s) { s.run(kernels::SgdStep{s[lr]}); }

}  // namespace renkei::optimizers
