#include <renkei/lib/optimizers/msvag.h>

#include <algorithm>
#include <cmath>

namespace renkei::optimizers {

MSVAG::MSVAG(const MSVAGOptions& options)
    : Optimizer{{{"m"}, {"v"}}},
      lr{*this, "lr", options.lr},
      beta{*this, "beta", options.beta},
      eta{*this, "eta", options.eta},
      weight_decay_rate{*this, "weight_decay_rate", options.weight_decay_rate} {}

void MSVAG::step(const UpdateStep& s) {
  const double b = s[beta], power = std::pow(b, static_cast<double>(s.t()));
  const double rho = (1 - b) * (1 - b) * (1 - power * power) / ((1 - power) * (1 - power) * (1 - b * b));
  s.run(kernels::MsvagStep{s[lr], b, s[eta], s[weight_decay_rate], 1 - power, std::min(0.9999, rho)});
}

}  // namespace renkei::optimizers
