#include <renkei/lib/autograd/gradient_check.h>

#include <cmath>

#include <fmt/format.h>

#include <renkei/lib/core/philox.h>
#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

Variables leaves(const Arrays& inputs) {
  Variables result;
  for (const Array& input : inputs) {
    if (!is_floating(input.dtype())) {
      result.emplace_back(input);
      continue;
    }
    if (input.dtype() != Dtype::float64) throw DtypeError{"gradient check", {{"input", input.dtype()}}, "float64"};
    result.emplace_back(input, RequiresGrad::yes);
  }
  return result;
}

Array random_like(const Array& array, std::uint64_t seed, std::uint64_t stream) {
  std::vector<double> elements(static_cast<std::size_t>(array.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = normal_from(philox(seed, stream, i)[0], philox(seed, stream, i)[1])[0];
  return to_array(elements, array.shape(), array.device());
}

/// One random gradient for each floating output.
Variables random_gradients(const Variables& outputs, std::uint64_t seed) {
  Variables result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool takes = outputs[i] && outputs[i].requires_grad();
    result.push_back(takes ? Variable{random_like(outputs[i].data(), seed, i)} : Variable{});
  }
  return result;
}

/// sum(outputs * gradients), in double on the host.
double weighted_sum(const Variables& outputs, const Variables& gradients) {
  double total = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!gradients[i]) continue;
    const auto y = to_vector<double>(outputs[i].data()), g = to_vector<double>(gradients[i].data());
    for (std::size_t k = 0; k < y.size(); ++k) total += y[k] * g[k];
  }
  return total;
}

Shape position_of(std::int64_t index, const Shape& shape) {
  Shape position = shape;
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    position = position.with(axis, index % shape[axis]);
    index /= shape[axis];
  }
  return position;
}

struct Worst {
  double excess = 0;  // how far beyond the tolerance
  std::string text;
};

/// Compares the gradient of one input with differences of `value`, which depends on it.
void compare(const Array& input, std::size_t number, const Variable& gradient, const std::function<double(const Array&)>& value,
             const GradientCheckOptions& options, Worst& worst) {
  const std::vector<double> elements = to_vector<double>(input);
  const std::vector<double> given = gradient ? to_vector<double>(gradient.data()) : std::vector<double>(elements.size(), 0.0);
  const auto moved = [&](std::size_t i, double by) {
    std::vector<double> copy = elements;
    copy[i] += by;
    return value(to_array(copy, input.shape(), input.device()));
  };
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double difference = (moved(i, options.step) - moved(i, -options.step)) / (2 * options.step);
    const double excess = std::abs(given[i] - difference) - options.atol - options.rtol * std::abs(difference);
    if (excess <= worst.excess) continue;  // false for NaN, which is therefore the worst
    worst = {std::isnan(excess) ? INFINITY : excess,
             fmt::format("gradient check: input {} of shape {} at {}: backward gives {}, central difference {}", number,
                         input.shape().to_string(), position_of(static_cast<std::int64_t>(i), input.shape()).to_string(), given[i], difference)};
  }
}

}  // namespace

void check_backward(const VariablesFunction& function, const Arrays& inputs, const GradientCheckOptions& options) {
  const Variables variables = leaves(inputs);
  const Variables outputs = function(variables);
  const Variables grad_outputs = random_gradients(outputs, options.seed);
  const Variables gradients = grad(outputs, variables, {.grad_outputs = grad_outputs});

  Worst worst;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!variables[i].requires_grad()) continue;
    const auto value = [&](const Array& moved) {
      Arrays arrays = inputs;
      arrays[i] = moved;
      return weighted_sum(function(leaves(arrays)), grad_outputs);
    };
    compare(inputs[i], i, gradients[i], value, options, worst);
  }
  if (worst.excess > 0) throw GradientError{worst.text};
}

void check_double_backward(const VariablesFunction& function, const Arrays& inputs, const GradientCheckOptions& options) {
  const std::size_t n = inputs.size();
  const Variables grad_outputs = random_gradients(function(leaves(inputs)), options.seed);
  std::vector<std::size_t> slots;  // which outputs take a gradient; these follow the inputs
  Arrays all = inputs;
  for (std::size_t i = 0; i < grad_outputs.size(); ++i) {
    if (!grad_outputs[i]) continue;
    slots.push_back(i);
    all.push_back(grad_outputs[i].data());
  }
  const auto gradient = [&](const Variables& x) {
    const Variables given{x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n)};
    const Variables outputs = function(given);
    Variables gy(outputs.size());
    for (std::size_t k = 0; k < slots.size(); ++k) gy[slots[k]] = x[n + k];
    Variables gradients = grad(outputs, given, {.grad_outputs = gy, .enable_double_backprop = true});
    for (std::size_t i = 0; i < n; ++i)  // where no gradient flows it is a constant
      if (!gradients[i]) gradients[i] = Variable{is_floating(given[i].dtype()) ? zeros_like(given[i].data()) : given[i].data()};
    return gradients;
  };
  check_backward(gradient, all, options);
}

}  // namespace renkei
