// Largest and smallest elements. NaN wins and stays: the comparisons are written so that it does.
#include <renkei/lib/kernels/reduction.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

constexpr std::int64_t kLanes = 16;

struct Larger {
  template <class T> bool operator()(T candidate, T best) const { return candidate > best || candidate != candidate; }
};
struct Smaller {
  template <class T> bool operator()(T candidate, T best) const { return candidate < best || candidate != candidate; }
};

/// The extreme one of n neighbouring elements; lanes become vector registers.
template <class Beats, class T>
T extreme_of_run(const T* x, std::int64_t n) {
  const auto better = [](T candidate, T best) { return Beats{}(candidate, best) && best == best ? candidate : best; };
  if (n < kLanes) return std::accumulate(x + 1, x + n, x[0], [&](T best, T candidate) { return better(candidate, best); });
  std::array<T, kLanes> lanes;
  std::copy(x, x + kLanes, lanes.begin());
  std::int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      auto& best = lanes[static_cast<std::size_t>(lane)];
      best = better(x[i + lane], best);
    }
  T best = lanes[0];
  for (const T lane : lanes) best = better(lane, best);
  for (; i < n; ++i) best = better(x[i], best);
  return best;
}

template <class Beats>
void extremum(const Array& x, const Array& y) {
  visit_float("max, min", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = x.shape()[1], inner = x.shape()[2];
    const T* source = x.data<T>();
    T* target = y.data<T>();
    parallel_for(device_of(y), x.shape()[0], kElementsPerThread / (n * inner + 1) + 1, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const T* row = source + i * n * inner;
        if (inner == 1) {
          target[i] = extreme_of_run<Beats>(row, n);
          continue;
        }
        T* best = target + i * inner;
        std::copy(row, row + inner, best);
        for (std::int64_t k = 1; k < n; ++k)
          for (std::int64_t j = 0; j < inner; ++j)
            best[j] = Beats{}(row[k * inner + j], best[j]) && best[j] == best[j] ? row[k * inner + j] : best[j];
      }
    });
  });
}

template <class Beats>
void position_of_extremum(const Array& x, const Array& y) {
  visit_float("argmax, argmin", x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t n = x.shape()[1], inner = x.shape()[2];
    const T* source = x.data<T>();
    std::int32_t* target = y.data<std::int32_t>();
    parallel_for(device_of(y), y.size(), kElementsPerThread / (n + 1) + 1, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const T* element = source + row / inner * n * inner + row % inner;
        std::int64_t best = 0;
        for (std::int64_t k = 1; k < n && element[best * inner] == element[best * inner]; ++k)
          if (Beats{}(element[k * inner], element[best * inner])) best = k;
        target[row] = static_cast<std::int32_t>(best);
      }
    });
  });
}

}  // namespace

void register_extremum_kernels(KernelTable& table) {
  table.set<kernels::Max>(extremum<Larger>);
  table.set<kernels::Min>(extremum<Smaller>);
  table.set<kernels::Argmax>(position_of_extremum<Larger>);
  table.set<kernels::Argmin>(position_of_extremum<Smaller>);
}

}  // namespace renkei::cpu
