// Kernel keys for the hooks of optimizers: element-wise changes of a gradient, and norms that stay on the device.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include <renkei/lib/core/array.h>
#include <renkei/lib/core/philox.h>
#include <renkei/lib/kernels/elementwise.h>
#include <renkei/lib/kernels/host_device.h>

namespace renkei::kernels {

/// g[i] = op(p[i], g[i], i); same size, dtype (float32 or float64) and device.
template <class Op>
struct GradientHook {
  static constexpr std::string_view kName = Op::kName;
  using Fn = void(const Op& op, const Array& p, const Array& g);
};

/// total[0] += sum(x^2); total is a float64 array of one element. The order of summation is fixed.
struct AddSquaredNorm {
  static constexpr std::string_view kName = "add_squared_norm";
  using Fn = void(const Array& x, const Array& total);
};

/// x *= min(1, threshold / sqrt(squared_norm[0])). A norm that is NaN leaves x alone.
struct ClipByNorm {
  static constexpr std::string_view kName = "clip_by_norm";
  using Fn = void(const Array& squared_norm, double threshold, const Array& x);
};

/// g = (g + weight_decay p) r,  r = |p| / (eps + |g| + weight_decay |p|) where |p| > threshold, else 1.
struct ScaleByTrustRatio {
  static constexpr std::string_view kName = "scale_by_trust_ratio";
  struct Options {
    double threshold, weight_decay, eps;
  };
  using Fn = void(const Options& options, const Array& squared_norm_of_p, const Array& squared_norm_of_g,
                  const Array& p, const Array& g);
};

struct AddDecay {
  static constexpr std::string_view kName = "add_decay";
  double rate;
  template <class T> RENKEI_HOST_DEVICE T operator()(T p, T g, std::int64_t) const { return g + T(rate) * p; }
};

struct AddSign {
  static constexpr std::string_view kName = "add_sign";
  double rate;
  template <class T> RENKEI_HOST_DEVICE T operator()(T p, T g, std::int64_t) const {
    return g + T(rate) * (p > T(0) ? T(1) : p < T(0) ? T(-1) : p);  // 0 and NaN stay what they are
  }
};

struct ClampGradient {
  static constexpr std::string_view kName = "clamp_gradient";
  double lower, upper;
  template <class T> RENKEI_HOST_DEVICE T operator()(T, T g, std::int64_t) const {
    return g < T(lower) ? T(lower) : g > T(upper) ? T(upper) : g;
  }
};

struct AddNoise {
  static constexpr std::string_view kName = "add_noise";
  std::uint64_t seed, stream;
  double deviation;
  template <class T> RENKEI_HOST_DEVICE T operator()(T, T g, std::int64_t i) const {
    const PhiloxBlock words = philox(seed, stream, static_cast<std::uint64_t>(i));
    return g + static_cast<T>(deviation * normal_from(words[0], words[1])[0]);
  }
};

using GradientHookOps = OpList<AddDecay, AddSign, ClampGradient, AddNoise>;

}  // namespace renkei::kernels
