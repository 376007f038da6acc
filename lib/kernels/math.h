// Elementary functions for kernels. On the host, the float versions are branch-free polynomials that the compiler
// turns into vector code (a call into libm stays scalar), right to about 2 units in the last place; NaN and infinities
// behave as in libm. float64 and device code use the library's.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <renkei/lib/kernels/host_device.h>

namespace renkei::kernels::math {

/// exp(x) = 2^n exp(r) with n whole and |r| <= log(2) / 2; polynomial of Cephes (Moshier 1992).
inline float host_exp(float x) {
  x = x < -105.0f ? -105.0f : x;  // written so that NaN stays
  x = x > 89.0f ? 89.0f : x;
  constexpr float kRound = 0x1.8p23f;  // adding it rounds to a whole number, kept in the low bits
  const float shifted = x * 0x1.715476p0f + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  // 2^n in two steps, so that results near both ends of the range are right.
  const std::int32_t whole = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  const std::int32_t half = whole >> 1;
  return p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((whole - half + 127) << 23);
}

/// tanh(x): odd polynomial near 0, else 1 - 2 / (exp(2 |x|) + 1) with the sign of x; Cephes.
inline float host_tanh(float x) {
  const float size = std::fabs(x), square = x * x;
  float p = -5.70498872745e-3f;
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const float near = p * square * x + x;
  const float far = std::copysign(1.0f - 2.0f / (host_exp(2.0f * size) + 1.0f), x);
  return size < 0.625f ? near : far;
}

RENKEI_HOST_DEVICE inline float exp(float x) {
#ifdef __CUDA_ARCH__
  return std::exp(x);
#else
  return host_exp(x);
#endif
}

RENKEI_HOST_DEVICE inline float tanh(float x) {
#ifdef __CUDA_ARCH__
  return std::tanh(x);
#else
  return host_tanh(x);
#endif
}

RENKEI_HOST_DEVICE inline double exp(double x) { return std::exp(x); }
RENKEI_HOST_DEVICE inline double tanh(double x) { return std::tanh(x); }

}  // namespace renkei::kernels::math
