#include "floor.h"

#include <renkei/lib/kernels/matmul.h>
#include <renkei/lib/kernels/optimizer.h>

using namespace renkei;

namespace {

constexpr std::int64_t kPixels = 784, kClasses = 10;

/// Numbers as small as those of a training step, so that nothing overflows or turns denormal.
Array noise(const Shape& shape, Device& device) {
  const Array array = empty(shape, Dtype::float32, device);
  initializers::Normal{0.01}(array);
  return array;
}

}  // namespace

Floor::Floor(const Workload& workload, Device& device) : device_{&device}, adam_{workload.adam} {
  std::vector<std::int64_t> units{kPixels};
  units.insert(units.end(), workload.units.begin(), workload.units.end());
  units.push_back(kClasses);
  const std::size_t layers = units.size() - 1;
  std::int64_t size = 0;
  for (std::size_t k = 0; k < layers; ++k) size += units[k] * units[k + 1];
  parameters_ = noise({size}, device);
  gradients_ = noise({size}, device);
  if (adam_) states_ = {zeros({size}, Dtype::float32, device), zeros({size}, Dtype::float32, device)};

  for (std::size_t k = 0, begin = 0; k < layers; ++k) {
    const std::int64_t first = static_cast<std::int64_t>(begin), last = first + units[k] * units[k + 1];
    weights_.push_back(parameters_.slice(first, last).reshape({units[k + 1], units[k]}));
    slopes_.push_back(gradients_.slice(first, last).reshape({units[k + 1], units[k]}));
    begin = static_cast<std::size_t>(last);
  }
  for (const std::int64_t count : units) {
    values_.push_back(noise({workload.batch, count}, device));
    errors_.push_back(noise({workload.batch, count}, device));
  }
}

void Floor::product(const Array& a, bool transa, const Array& b, bool transb, const Array& y) {
  device_->kernel<kernels::MatMul>()(a, transa, b, transb, y);
}

void Floor::update() {
  if (!adam_) return device_->kernel<kernels::OptimizerStep<kernels::SgdStep>>()({0.01}, parameters_, gradients_, {});
  const kernels::AdamStep<false> rule{.alpha_t = 0.001, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .eta = 1, .keep = 1,
                                      .lower = 0, .upper = 0};
  device_->kernel<kernels::OptimizerStep<kernels::AdamStep<false>>>()(rule, parameters_, gradients_, states_);
}

void Floor::step() {
  const std::size_t layers = weights_.size();
  for (std::size_t k = 0; k < layers; ++k) product(values_[k], false, weights_[k], true, values_[k + 1]);
  for (std::size_t k = layers; k-- > 0;) {
    product(errors_[k + 1], true, values_[k], false, slopes_[k]);
    if (k > 0) product(errors_[k + 1], false, weights_[k], false, errors_[k]);
  }
  update();
}
