// One thread pool (OpenMP's, shared with oneDNN), used only where the work pays for waking it.
#pragma once

#include <algorithm>
#include <cstdint>

#include <renkei/lib/cpu/cpu_device.h>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#endif

namespace renkei::cpu {

/// Element-wise work smaller than this stays on one thread.
inline constexpr std::int64_t kElementsPerThread = 32768;

/// Calls body(begin, end) over parts of [0, count). No part is smaller than `grain`, and a count below two grains
/// runs in the calling thread. The parts depend on the number of threads, so results must not depend on the parts.
template <class Body>
void parallel_for(const CpuDevice& device, std::int64_t count, std::int64_t grain, const Body& body) {
  const std::int64_t parts = std::min<std::int64_t>(device.threads(), count / std::max<std::int64_t>(grain, 1));
  if (parts <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  const auto run_part = [&](std::int64_t part) { body(count * part / parts, count * (part + 1) / parts); };
#if defined(__SANITIZE_THREAD__)  // it cannot see how OpenMP's runtime synchronises; threads of the language it can
  std::vector<std::thread> helpers;
  for (std::int64_t part = 1; part < parts; ++part) helpers.emplace_back(run_part, part);
  run_part(0);
  for (auto& helper : helpers) helper.join();
#else
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(parts))
  for (std::int64_t part = 0; part < parts; ++part) run_part(part);
#endif
}

}  // namespace renkei::cpu
