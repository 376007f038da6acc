#include <renkei/lib/kernels/matmul.h>

#include <dnnl.h>
#include <omp.h>

#include <limits>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

// Products with fewer multiplications than this stay on one thread: waking another costs more than it gives.
// The thread sanitizer cannot see how OpenMP's runtime synchronises, so under it all of them do.
#if defined(__SANITIZE_THREAD__)
constexpr std::int64_t kMultipliesPerThread = std::numeric_limits<std::int64_t>::max();
#else
constexpr std::int64_t kMultipliesPerThread = 300'000;
#endif

/// y (m, n) = op(a) op(b) + beta y, row-major without gaps.
struct Gemm {
  bool transa, transb;
  std::int64_t m, n, k;
};

void gemm(const Gemm& g, const float* a, const float* b, float beta, float* y) {
  const dnnl_status_t status = dnnl_sgemm(g.transa ? 'T' : 'N', g.transb ? 'T' : 'N', g.m, g.n, g.k, 1.0f, a,
                                          g.transa ? g.m : g.k, b, g.transb ? g.k : g.n, beta, y, g.n);
  if (status != dnnl_success)
    throw DeviceError{fmt::format("cpu: oneDNN refused a product of ({}, {}) and ({}, {})", g.m, g.k, g.k, g.n)};
}

// oneDNN has no float64 product. It serves gradient checks, so a plain loop in a cache-friendly order is enough.
void gemm(const Gemm& g, const double* a, const double* b, double beta, double* y) {
  for (std::int64_t i = 0; i < g.m; ++i) {
    double* row = y + i * g.n;
    for (std::int64_t j = 0; j < g.n; ++j) row[j] *= beta;
    for (std::int64_t p = 0; p < g.k; ++p) {
      const double factor = g.transa ? a[p * g.m + i] : a[i * g.k + p];
      const double* column = g.transb ? b + p : b + p * g.n;
      const std::int64_t step = g.transb ? g.k : 1;
      for (std::int64_t j = 0; j < g.n; ++j) row[j] += factor * column[j * step];
    }
  }
}

/// beta 0 must not read y: fresh memory may hold NaN.
template <class T>
void product(const CpuDevice& device, const Gemm& g, const T* a, const T* b, bool add, T* y) {
  if (g.m == 0 || g.n == 0) return;
  if (!add && (g.k == 0 || sizeof(T) == sizeof(double))) std::fill(y, y + g.m * g.n, T{0});
  if (g.k == 0) return;
  const std::int64_t useful = std::max<std::int64_t>(g.m * g.n * g.k / kMultipliesPerThread, 1);
  omp_set_num_threads(static_cast<int>(std::min<std::int64_t>(device.threads(), useful)));
  gemm(g, a, b, add || sizeof(T) == sizeof(double) ? T{1} : T{0}, y);
}

void matmul(const Array& a, bool transa, const Array& b, bool transb, const Array& y) {
  visit_float("matmul", y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int rank = y.ndim();
    const std::int64_t m = y.shape()[rank - 2], n = y.shape()[rank - 1];
    const std::int64_t k = a.shape()[transa ? a.ndim() - 2 : a.ndim() - 1];
    const std::int64_t batch = y.shape().product(0, rank - 2);
    for (std::int64_t i = 0; i < batch; ++i)
      product(device_of(y), {transa, transb, m, n, k}, a.data<T>() + i * m * k, b.data<T>() + i * k * n, false,
              y.data<T>() + i * m * n);
  });
}

void linear(const Array& x, const Array& w, const Array& b, const Array& y) {
  visit_float("linear", y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t rows = x.shape()[0], in = x.shape()[1], out = w.shape()[0];
    T* target = y.data<T>();
    if (b) {
      const T* bias = b.data<T>();
      for (std::int64_t row = 0; row < rows; ++row) std::copy(bias, bias + out, target + row * out);
    }
    product(device_of(y), {false, true, rows, out, in}, x.data<T>(), w.data<T>(), static_cast<bool>(b), target);
  });
}

}  // namespace

void register_matmul_kernels(KernelTable& table) {
  table.set<kernels::MatMul>(matmul);
  table.set<kernels::LinearForward>(linear);
}

}  // namespace renkei::cpu
