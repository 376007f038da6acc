// Optimizer steps on the CPU: one pass, vectorised, in blocks of fixed size. The place of an element in its block does
// not depend on the number of threads, and so neither do its bits.
#include <renkei/lib/kernels/optimizer.h>

#include <utility>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

constexpr std::int64_t kBlock = 4096;  // elements

/// By value: the compiler then knows that no store changes the options.
template <class Op, class T, class... States>
void step_range(const Op op, std::int64_t n, T* __restrict p, const T* __restrict g, States* __restrict... states) {
  for (std::int64_t i = 0; i < n; ++i) op(p[i], g[i], states[i]...);
}

template <class Op, class T, std::size_t... k>
void step_block(const Op& op, std::int64_t begin, std::int64_t n, T* p, const T* g,
                [[maybe_unused]] T* const* states, std::index_sequence<k...>) {
  step_range(op, n, p + begin, g + begin, states[k] + begin...);
}

template <class Op>
void step(const Op& op, const Array& p, const Array& g, std::span<const Array> states) {
  visit_float(Op::kName, p.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* parameter = p.data<T>();
    const T* gradient = g.data<T>();
    T* state[Op::kStates + 1] = {};
    for (int k = 0; k < Op::kStates; ++k) state[k] = states[static_cast<std::size_t>(k)].data<T>();
    const std::int64_t count = p.size(), blocks = (count + kBlock - 1) / kBlock;
    parallel_for(device_of(p), blocks, kElementsPerThread / kBlock, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t begin = first * kBlock; begin < std::min(last * kBlock, count); begin += kBlock)
        step_block(op, begin, std::min(kBlock, count - begin), parameter, gradient, state,
                   std::make_index_sequence<Op::kStates>{});
    });
  });
}

template <class... Ops>
void register_steps(KernelTable& table, kernels::OpList<Ops...>) {
  (table.set<kernels::OptimizerStep<Ops>>(step<Ops>), ...);
}

}  // namespace

void register_optimizer_kernels(KernelTable& table) { register_steps(table, kernels::StepOps{}); }

}  // namespace renkei::cpu
