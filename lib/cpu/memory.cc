#include <renkei/lib/device/memory.h>

#include <cstring>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

void fill(const Array& y, double value) {
  visit_dtype(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* data = y.data<T>();
    const T element = static_cast<T>(value);
    parallel_for(device_of(y), y.size(), kElementsPerThread,
                 [&](std::int64_t begin, std::int64_t end) { std::fill(data + begin, data + end, element); });
  });
}

void copy(const Array& x, const Array& y) {
  const std::int64_t size = size_of(x.dtype());
  parallel_for(device_of(y), x.size(), kElementsPerThread, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(y.raw_data() + begin * size, x.raw_data() + begin * size, static_cast<std::size_t>((end - begin) * size));
  });
}

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr ((std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) && std::is_integral_v<From>) {
    return To{static_cast<float>(value)};
  } else {
    return static_cast<To>(value);
  }
}

void cast(const Array& x, const Array& y) {
  visit_dtype(x.dtype(), [&](auto from) {
    visit_dtype(y.dtype(), [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      const From* source = x.data<From>();
      To* target = y.data<To>();
      parallel_for(device_of(y), x.size(), kElementsPerThread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) target[i] = convert<To>(source[i]);
      });
    });
  });
}

}  // namespace

void register_memory_kernels(KernelTable& table) {
  table.set<kernels::Fill>(fill);
  table.set<kernels::Copy>(copy);
  table.set<kernels::Cast>(cast);
}

}  // namespace renkei::cpu
