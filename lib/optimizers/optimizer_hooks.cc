#include <renkei/lib/optimizers/optimizer_hooks.h>

#include <cmath>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/kernels/optimizer_hook.h>

namespace renkei::optimizer_hooks {
namespace {

template <class Op>
void change_gradient(UpdateRule& rule, const Op& op) {
  if (rule.data().size() > 0) rule.data().device().kernel<kernels::GradientHook<Op>>()(op, rule.data(), rule.grad());
}

void add_squared_norm(const Array& x, const Array& total) {
  if (x.size() > 0) x.device().kernel<kernels::AddSquaredNorm>()(x, total);
}

}  // namespace

void WeightDecay::operator()(UpdateRule& rule) const { change_gradient(rule, kernels::AddDecay{rate}); }
void Lasso::operator()(UpdateRule& rule) const { change_gradient(rule, kernels::AddSign{rate}); }

void GradientHardClipping::operator()(UpdateRule& rule) const {
  change_gradient(rule, kernels::ClampGradient{lower_bound, upper_bound});
}

void GradientNoise::operator()(UpdateRule& rule) const {
  const double deviation = std::sqrt(eta / std::pow(1.0 + static_cast<double>(rule.t()), 0.55));
  RandomGenerator& generator = default_generator();
  change_gradient(rule, kernels::AddNoise{generator.seed(), generator.take_stream(), deviation});
}

void GradientLARS::operator()(UpdateRule& rule) const {
  const Array &p = rule.data(), &g = rule.grad();
  const Array norm_p = zeros({1}, Dtype::float64, p.device()), norm_g = zeros({1}, Dtype::float64, p.device());
  add_squared_norm(p, norm_p);
  add_squared_norm(g, norm_g);
  p.device().kernel<kernels::ScaleByTrustRatio>()({threshold, weight_decay, eps}, norm_p, norm_g, p, g);
}

void GradientClipping::operator()(Optimizer& optimizer) const {
  Array total;
  const auto for_each_gradient = [&](const auto& action) {
    for (const auto& rule : optimizer.rules())
      if (rule->enabled && rule->is_initialized()) action(rule->grad());
  };
  for_each_gradient([&](const Array& g) {
    if (!total) total = zeros({1}, Dtype::float64, g.device());
    if (&total.device() != &g.device())
      throw DeviceError{fmt::format("GradientClipping: parameters are on {} and {}; want one device",
                                    total.device().name(), g.device().name())};
    add_squared_norm(g, total);
  });
  for_each_gradient([&](const Array& g) { g.device().kernel<kernels::ClipByNorm>()(total, threshold, g); });
}

}  // namespace renkei::optimizer_hooks
