#include <renkei/lib/kernels/optimizer_hook.h>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

constexpr std::int64_t kBlock = 4096;  // elements; fixed, so that sums do not depend on the number of threads
constexpr std::int64_t kLanes = 16;    // partial sums side by side, as the vector units want it

template <class Op>
void change_gradient(const Op& op, const Array& p, const Array& g) {
  visit_float(Op::kName, g.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* parameter = p.data<T>();
    T* gradient = g.data<T>();
    parallel_for(device_of(g), g.size(), kElementsPerThread, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) gradient[i] = op(parameter[i], gradient[i], i);
    });
  });
}

template <class T>
double sum_of_squares(const T* x, std::int64_t n) {
  double lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k) {
      const auto value = static_cast<double>(x[i + k]);
      lanes[k] += value * value;
    }
  for (std::int64_t k = 0; i < n; ++i, ++k) lanes[k] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

void add_squared_norm(const Array& x, const Array& total) {
  visit_float("add_squared_norm", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* elements = x.data<T>();
    const std::int64_t count = x.size(), blocks = (count + kBlock - 1) / kBlock;
    static thread_local std::vector<double> storage;
    storage.resize(static_cast<std::size_t>(blocks));
    double* sums = storage.data();
    parallel_for(device_of(x), blocks, kElementsPerThread / kBlock, [=](std::int64_t first, std::int64_t last) {
      for (std::int64_t b = first; b < last; ++b)
        sums[b] = sum_of_squares(elements + b * kBlock, std::min(kBlock, count - b * kBlock));
    });
    double sum = 0;
    for (std::int64_t b = 0; b < blocks; ++b) sum += sums[b];
    *total.data<double>() += sum;
  });
}

template <class Change>
void change_each(const Array& x, const Change& change) {
  visit_float("gradient", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* elements = x.data<T>();
    parallel_for(device_of(x), x.size(), kElementsPerThread, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) elements[i] = static_cast<T>(change(elements[i], i));
    });
  });
}

void clip_by_norm(const Array& squared_norm, double threshold, const Array& x) {
  const double rate = threshold / std::sqrt(*squared_norm.data<double>());
  if (!(rate < 1.0)) return;
  change_each(x, [rate](auto value, std::int64_t) { return static_cast<decltype(value)>(rate) * value; });
}

void scale_by_trust_ratio(const kernels::ScaleByTrustRatio::Options& options, const Array& squared_norm_of_p,
                          const Array& squared_norm_of_g, const Array& p, const Array& g) {
  const double norm_p = std::sqrt(*squared_norm_of_p.data<double>());
  const double norm_g = std::sqrt(*squared_norm_of_g.data<double>());
  const double decay = options.weight_decay;
  const double ratio = norm_p > options.threshold ? norm_p / (options.eps + norm_g + decay * norm_p) : 1.0;
  visit_float("scale_by_trust_ratio", p.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* parameter = p.data<T>();
    change_each(g, [=](auto value, std::int64_t i) {
      return (value + static_cast<T>(decay) * parameter[i]) * static_cast<T>(ratio);
    });
  });
}

template <class... Ops>
void register_changes(KernelTable& table, kernels::OpList<Ops...>) {
  (table.set<kernels::GradientHook<Ops>>(change_gradient<Ops>), ...);
}

}  // namespace

void register_optimizer_hook_kernels(KernelTable& table) {
  register_changes(table, kernels::GradientHookOps{});
  table.set<kernels::AddSquaredNorm>(add_squared_norm);
  table.set<kernels::ClipByNorm>(clip_by_norm);
  table.set<kernels::ScaleByTrustRatio>(scale_by_trust_ratio);
}

}  // namespace renkei::cpu
