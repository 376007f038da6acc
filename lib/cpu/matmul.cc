// Matrix products: oneDNN for float32, a plain loop for float64.
#include <renkei/lib/kernels/matmul.h>

#include <dnnl.h>
#include <omp.h>

#include <limits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/onednn_matmul.h>
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

// oneDNN has two entry points. Its primitive is ahead where the right operand is transposed, as in the forward product of
// a linear layer, or where there are many matrices. Otherwise sgemm is: it does not repack the operands of a weight
// gradient, 10 to 20 % of that product. Below this size the call of a primitive (0.4 us more than sgemm) shows.
constexpr std::int64_t kPrimitiveMultiplies = 1'000'000;

bool primitive_is_faster(const Product& p) {
  return (p.transb || p.batch > 1) && p.m * p.n * p.k >= kPrimitiveMultiplies;
}

int useful_threads(const CpuDevice& device, std::int64_t multiplies) {
  return static_cast<int>(std::clamp<std::int64_t>(multiplies / kMultipliesPerThread, 1, device.threads()));
}

void sgemm(const Product& p, const float* a, const float* b, const float* bias, float* y) {
  if (bias)
    for (std::int64_t row = 0; row < p.m; ++row) std::copy(bias, bias + p.n, y + row * p.n);
  omp_set_num_threads(p.threads);
  const dnnl_status_t status = dnnl_sgemm(p.transa ? 'T' : 'N', p.transb ? 'T' : 'N', p.m, p.n, p.k, 1.0f, a,
                                          p.transa ? p.m : p.k, b, p.transb ? p.k : p.n, bias ? 1.0f : 0.0f, y, p.n);
  if (status != dnnl_success)
    throw ShapeError{"cpu: oneDNN refused a product", {{"a", {p.m, p.k}}, {"b", {p.k, p.n}}}, "sizes it can address"};
}

void product(const Product& p, const float* a, const float* b, const float* bias, float* y) {
  if (primitive_is_faster(p)) return onednn_matmul(p, a, b, bias, y);
  for (std::int64_t i = 0; i < p.batch; ++i)
    sgemm(p, a + i * p.m * p.k, b + i * p.k * p.n, bias, y + i * p.m * p.n);
}

// oneDNN has no float64 product. It serves gradient checks, so a plain loop in a cache-friendly order is enough.
void product(const Product& p, const double* a, const double* b, const double* bias, double* y) {
  for (std::int64_t i = 0; i < p.batch * p.m; ++i) {
    const double* left = a + i / p.m * p.m * p.k;
    const double* right = b + i / p.m * p.k * p.n;
    double* row = y + i * p.n;
    for (std::int64_t j = 0; j < p.n; ++j) row[j] = bias ? bias[j] : 0.0;
    for (std::int64_t q = 0; q < p.k; ++q) {
      const double factor = p.transa ? left[q * p.m + i % p.m] : left[i % p.m * p.k + q];
      const double* column = p.transb ? right + q : right + q * p.n;
      const std::int64_t step = p.transb ? p.k : 1;
      for (std::int64_t j = 0; j < p.n; ++j) row[j] += factor * column[j * step];
    }
  }
}

template <class T>
void checked_product(const Product& p, const T* a, const T* b, const Array& bias, const Array& y) {
  if (y.size() == 0) return;
  T* target = y.data<T>();
  const T* shift = bias ? bias.data<T>() : nullptr;
  if (p.k > 0) return product(p, a, b, shift, target);
  for (std::int64_t row = 0; row < p.batch * p.m; ++row)
    for (std::int64_t j = 0; j < p.n; ++j) target[row * p.n + j] = shift ? shift[j] : T{0};
}

void matmul(const Array& a, bool transa, const Array& b, bool transb, const Array& y) {
  visit_float("matmul", y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int rank = y.ndim();
    const std::int64_t m = y.shape()[rank - 2], n = y.shape()[rank - 1];
    const std::int64_t k = a.shape()[transa ? a.ndim() - 2 : a.ndim() - 1];
    const Product p{transa, transb, y.shape().product(0, rank - 2), m, n, k, useful_threads(device_of(y), m * n * k)};
    checked_product(p, a.data<T>(), b.data<T>(), {}, y);
  });
}

void linear(const Array& x, const Array& w, const Array& b, const Array& y) {
  visit_float("linear", y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t rows = x.shape()[0], in = x.shape()[1], out = w.shape()[0];
    const Product p{false, true, 1, rows, out, in, useful_threads(device_of(y), rows * in * out)};
    checked_product(p, x.data<T>(), w.data<T>(), b, y);
  });
}

}  // namespace

void register_matmul_kernels(KernelTable& table) {
  table.set<kernels::MatMul>(matmul);
  table.set<kernels::LinearForward>(linear);
}

}  // namespace renkei::cpu
