#include <renkei/lib/links/initializers.h>

#include <cmath>
#include <limits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/kernels/noise.h>

namespace renkei::initializers {
namespace {

/// Fills `array` from a host loop: write(T* elements). Straight into its memory where the host can reach it.
template <class Write>
void fill_on_host(const Array& array, const Write& write) {
  visit_float("initializer", array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (array.device().is_host()) return write(array.data<T>());
    std::vector<T> elements(static_cast<std::size_t>(array.size()));
    write(elements.data());
    array.device().copy_from_host(array.raw_data(), reinterpret_cast<const std::byte*>(elements.data()),
                                  elements.size() * sizeof(T));
  });
}

void fill_normal(const Array& array, double scale) {
  RandomGenerator& generator = default_generator();
  array.device().kernel<kernels::FillNormal>()(generator.seed(), generator.take_stream(), scale, array);
}

void fill_uniform(const Array& array, double bound) {
  RandomGenerator& generator = default_generator();
  array.device().kernel<kernels::FillUniform>()(generator.seed(), generator.take_stream(), bound, array);
}

/// Product of triangles over the axes from the third.
std::vector<double> triangle_kernel(const Shape& shape) {
  const auto k = static_cast<double>(shape.back());
  const double factor = std::floor((k + 1) / 2), center = shape.back() % 2 == 1 ? factor - 1.0 : factor - 0.5;
  std::vector<double> kernel(static_cast<std::size_t>(shape.product(2, shape.ndim())), 1.0);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    for (int axis = shape.ndim() - 1; axis >= 2; --axis, rest /= shape.back())
      kernel[i] *= 1.0 - std::abs(static_cast<double>(rest % shape.back()) - center) / factor;
  }
  return kernel;
}

void fill_sampling(std::string_view where, const Array& array, bool normalize) {
  const Shape& shape = array.shape();
  bool fits = shape.ndim() >= 3 && (shape[0] == shape[1] || shape[1] == 1);
  for (int axis = 2; axis < shape.ndim(); ++axis) fits = fits && shape[axis] == shape.back();
  if (!fits) throw ShapeError{where, {{"W", shape}}, "(channels, channels or 1, k...) with one k"};
  std::vector<double> kernel = triangle_kernel(shape);
  double sum = 0;
  for (const double value : kernel) sum += value;
  if (normalize)
    for (double& value : kernel) value /= sum;
  const std::int64_t channels = shape[0], outputs = shape[1];
  fill_on_host(array, [&](auto* elements) {
    using T = std::remove_pointer_t<decltype(elements)>;
    std::fill(elements, elements + array.size(), T{0});
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      T* target = elements + (channel * outputs + (outputs == 1 ? 0 : channel)) * std::ssize(kernel);
      for (std::size_t i = 0; i < kernel.size(); ++i) target[i] = static_cast<T>(kernel[i]);
    }
  });
}

}  // namespace

Fans fans_of(const Shape& shape) {
  if (shape.ndim() < 2) throw ShapeError{"fans", {{"W", shape}}, "at least two axes: (out, in, ...)"};
  const auto rest = static_cast<double>(shape.product(2, shape.ndim()));
  return {static_cast<double>(shape[1]) * rest, static_cast<double>(shape[0]) * rest};
}

void Normal::operator()(const Array& array) const { fill_normal(array, scale); }

void LeCunNormal::operator()(const Array& array) const {
  fill_normal(array, scale * std::sqrt(1.0 / fans_of(array.shape()).in));
}

void GlorotNormal::operator()(const Array& array) const {
  const Fans fans = fans_of(array.shape());
  fill_normal(array, scale * std::sqrt(2.0 / (fans.in + fans.out)));
}

void HeNormal::operator()(const Array& array) const {
  const Fans fans = fans_of(array.shape());
  fill_normal(array, scale * std::sqrt(2.0 / (fan_option == Fan::in ? fans.in : fans.out)));
}

void Uniform::operator()(const Array& array) const { fill_uniform(array, scale); }

void LeCunUniform::operator()(const Array& array) const {
  fill_uniform(array, scale * std::sqrt(3.0 / fans_of(array.shape()).in));
}

void GlorotUniform::operator()(const Array& array) const {
  const Fans fans = fans_of(array.shape());
  fill_uniform(array, scale * std::sqrt(6.0 / (fans.in + fans.out)));
}

void HeUniform::operator()(const Array& array) const {
  fill_uniform(array, scale * std::sqrt(6.0 / fans_of(array.shape()).in));
}

void Identity::operator()(const Array& array) const {
  const Shape& shape = array.shape();
  if (shape.ndim() != 2 || shape[0] != shape[1])
    throw ShapeError{"Identity", {{"W", shape}}, "a square matrix"};
  fill_on_host(array, [&](auto* elements) {
    using T = std::remove_pointer_t<decltype(elements)>;
    std::fill(elements, elements + array.size(), T{0});
    for (std::int64_t i = 0; i < shape[0]; ++i) elements[i * shape[0] + i] = static_cast<T>(scale);
  });
}

void Constant::operator()(const Array& array) const { fill(array, fill_value); }
void Zero::operator()(const Array& array) const { fill(array, 0.0); }
void One::operator()(const Array& array) const { fill(array, 1.0); }
void NaN::operator()(const Array& array) const { fill(array, std::numeric_limits<double>::quiet_NaN()); }

void UpsamplingDeconvFilter::operator()(const Array& array) const {
  fill_sampling("UpsamplingDeconvFilter", array, false);
}

void DownsamplingConvFilter::operator()(const Array& array) const {
  fill_sampling("DownsamplingConvFilter", array, true);
}

}  // namespace renkei::initializers
