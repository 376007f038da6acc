// Strided parts are walked row by row of their last axis. Elements are moved as integers of their size.
#include <renkei/lib/kernels/indexing.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

using kernels::StridedPart;

template <class F>
void visit_size(Dtype dtype, F&& f) {
  switch (size_of(dtype)) {
    case 1: return f(TypeTag<std::uint8_t>{});
    case 2: return f(TypeTag<std::uint16_t>{});
    case 4: return f(TypeTag<std::uint32_t>{});
    default: return f(TypeTag<std::uint64_t>{});
  }
}

/// The part with axes of one element dropped and neighbours merged where one stride continues the other, so that rows
/// are as long as possible.
struct Walk {
  int ndim = 0;
  std::array<std::int64_t, Shape::kMaxDims> extents{}, strides{};

  Walk(const Shape& shape, const StridedPart& part) {
    for (int axis = 0; axis < shape.ndim(); ++axis) {
      const std::int64_t extent = shape[axis], stride = part.strides[static_cast<std::size_t>(axis)];
      if (extent == 1) continue;
      const auto last = static_cast<std::size_t>(ndim - 1), next = static_cast<std::size_t>(ndim);
      if (ndim > 0 && strides[last] == stride * extent) {
        extents[last] *= extent;
        strides[last] = stride;
      } else {
        extents[next] = extent;
        strides[next] = stride;
        ++ndim;
      }
    }
    if (ndim == 0) extents[static_cast<std::size_t>(ndim++)] = 1;
  }

  std::int64_t row_length() const { return extents[static_cast<std::size_t>(ndim - 1)]; }
  std::int64_t step() const { return strides[static_cast<std::size_t>(ndim - 1)]; }

  std::int64_t start_of_row(std::int64_t row) const {
    std::int64_t offset = 0;
    for (auto axis = static_cast<std::size_t>(ndim - 1); axis-- > 0;) {
      offset += row % extents[axis] * strides[axis];
      row /= extents[axis];
    }
    return offset;
  }
};

/// Calls body(address in the part, address in the contiguous array, length) for pieces of rows, in parallel.
template <class Body>
void for_each_row(const Array& contiguous, const Walk& walk, const Body& body) {
  const std::int64_t n = walk.row_length(), rows = contiguous.size() / n;
  if (rows == 1) {
    parallel_for(device_of(contiguous), n, kElementsPerThread, [&](std::int64_t begin, std::int64_t end) {
      body(begin * walk.step(), begin, end - begin);
    });
    return;
  }
  parallel_for(device_of(contiguous), rows, std::max<std::int64_t>(kElementsPerThread / n, 1),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) body(walk.start_of_row(row), row * n, n);
               });
}

void strided_copy(const Array& x, const StridedPart& part, const Array& y) {
  if (y.size() == 0) return;
  visit_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = reinterpret_cast<const T*>(x.raw_data()) + part.offset;
    T* target = reinterpret_cast<T*>(y.raw_data());
    const Walk walk{y.shape(), part};
    for_each_row(y, walk, [&, step = walk.step()](std::int64_t from, std::int64_t to, std::int64_t n) {
      if (step == 1) std::copy(source + from, source + from + n, target + to);
      else if (step == 0) std::fill(target + to, target + to + n, source[from]);
      else for (std::int64_t i = 0; i < n; ++i) target[to + i] = source[from + i * step];
    });
  });
}

void strided_store(const Array& x, const Array& y, const StridedPart& part) {
  if (x.size() == 0) return;
  visit_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = reinterpret_cast<const T*>(x.raw_data());
    T* target = reinterpret_cast<T*>(y.raw_data()) + part.offset;
    const Walk walk{x.shape(), part};
    for_each_row(x, walk, [&, step = walk.step()](std::int64_t to, std::int64_t from, std::int64_t n) {
      if (step == 1) std::copy(source + from, source + from + n, target + to);
      else for (std::int64_t i = 0; i < n; ++i) target[to + i * step] = source[from + i];
    });
  });
}

void take(const Array& x, const Array& indices, const Array& y) {
  const std::int64_t m = x.shape()[1], n = y.shape()[1], inner = y.shape()[2];
  if (y.size() == 0) return;
  visit_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = reinterpret_cast<const T*>(x.raw_data());
    T* target = reinterpret_cast<T*>(y.raw_data());
    const std::int64_t* index = indices.data<std::int64_t>();
    parallel_for(device_of(y), y.shape()[0] * n, kElementsPerThread / inner + 1, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const T* from = source + (row / n * m + index[row % n]) * inner;
        std::copy(from, from + inner, target + row * inner);
      }
    });
  });
}

// Threads share out columns, so that entries of one index are added in order whatever their number.
void take_add(const Array& x, const Array& indices, const Array& y) {
  const std::int64_t outer = x.shape()[0], n = x.shape()[1], m = y.shape()[1], inner = y.shape()[2];
  visit_float(kernels::TakeAdd::kName, y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = x.data<T>();
    T* target = y.data<T>();
    const std::int64_t* index = indices.data<std::int64_t>();
    parallel_for(device_of(y), inner, kElementsPerThread / (outer * n + 1) + 1, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = 0; row < outer * n; ++row) {
        T* to = target + (row / n * m + index[row % n]) * inner;
        for (std::int64_t i = begin; i < end; ++i) to[i] += source[row * inner + i];
      }
    });
  });
}

void where(const Array& condition, const Array& a, const Array& b, const Array& y) {
  visit_size(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool* holds = condition.data<bool>();
    const T *left = reinterpret_cast<const T*>(a.raw_data()), *right = reinterpret_cast<const T*>(b.raw_data());
    T* target = reinterpret_cast<T*>(y.raw_data());
    parallel_for(device_of(y), y.size(), kElementsPerThread, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) target[i] = holds[i] ? left[i] : right[i];
    });
  });
}

}  // namespace

void register_indexing_kernels(KernelTable& table) {
  table.set<kernels::Take>(take);
  table.set<kernels::TakeAdd>(take_add);
  table.set<kernels::Where>(where);
  table.set<kernels::StridedCopy>(strided_copy);
  table.set<kernels::StridedStore>(strided_store);
}

}  // namespace renkei::cpu
