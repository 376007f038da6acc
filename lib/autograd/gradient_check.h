// Checks gradients against finite differences: for tests of functions.
//
//   check_backward([](const Variables& x) { return Variables{square(x[0])}; }, {x});
#pragma once

#include <functional>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/core/error.h>

namespace renkei {

/// A gradient that does not agree: names the input, the position and both numbers of the worst element.
class GradientError : public Error {
 public:
  using Error::Error;
};

using VariablesFunction = std::function<Variables(const Variables& inputs)>;

struct GradientCheckOptions {
  double step = 1e-5;  ///< inputs are moved by this to either side
  double rtol = 1e-6;
  double atol = 1e-6;
  std::uint64_t seed = 0;  ///< of the gradients put into the outputs
};

/// Compares backward through `function` with central differences of sum(outputs * random), element by element.
/// Floating inputs must be float64 (DtypeError); integer inputs are passed on as constants. `function` must be smooth
/// within `step` of the inputs. Throws GradientError where |backward - difference| > atol + rtol |difference|.
void check_backward(const VariablesFunction& function, const Arrays& inputs, const GradientCheckOptions& options = {});

/// The same for the gradient as a function of inputs and output gradients: checks second derivatives.
void check_double_backward(const VariablesFunction& function, const Arrays& inputs, const GradientCheckOptions& options = {});

}  // namespace renkei
