// Matrix products as oneDNN primitives, made once for each shape and kept.
#pragma once

#include <cstdint>

namespace renkei::cpu {

/// y[i] (m, n) = op(a[i]) op(b[i]) + bias for each of `batch` matrices, row-major without gaps; op transposes.
struct Product {
  bool transa = false, transb = false;
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  int threads = 1;

  bool operator==(const Product&) const = default;
};

/// Overwrites y; `bias` (n) may be null. Throws DeviceError if oneDNN refuses.
void onednn_matmul(const Product& product, const float* a, const float* b, const float* bias, float* y);

}  // namespace renkei::cpu
