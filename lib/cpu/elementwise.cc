#include <renkei/lib/kernels/elementwise.h>

#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

template <class Op>
void unary(const Op& op, const Array& x, const Array& y) {
  visit_float(Op::kName, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* source = x.data<T>();
    T* target = y.data<T>();
    parallel_for(device_of(y), y.size(), kElementsPerThread, [source, target, op](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) target[i] = op(source[i]);
    });
  });
}

/// How an operand of shape `x` is walked while the result of shape `y` is written row by row of its last axis.
struct Walk {
  std::array<std::int64_t, Shape::kMaxDims> strides{};  // 0 where the operand is stretched

  Walk(const Shape& x, const Shape& y) {
    std::int64_t stride = 1;
    for (int axis = x.ndim() - 1; axis >= 0; --axis) {
      const auto target = static_cast<std::size_t>(axis + y.ndim() - x.ndim());
      strides[target] = x[axis] == 1 ? 0 : stride;
      stride *= x[axis];
    }
  }

  std::int64_t start_of_row(std::int64_t row, const Shape& y) const {
    std::int64_t offset = 0;
    for (int axis = y.ndim() - 2; axis >= 0; --axis) {
      offset += row % y[axis] * strides[static_cast<std::size_t>(axis)];
      row /= y[axis];
    }
    return offset;
  }
};

template <class Op, class T>
void binary_row(const Op& op, const T* a, std::int64_t a_step, const T* b, std::int64_t b_step, T* y, std::int64_t n) {
  if (a_step == 1 && b_step == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = op(a[i], b[i]);
  } else if (a_step == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = op(a[i], *b);
  } else if (b_step == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = op(*a, b[i]);
  } else {
    std::fill(y, y + n, op(*a, *b));
  }
}

template <class Op>
void binary(const Op& op, const Array& a, const Array& b, const Array& y) {
  visit_float(Op::kName, y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* left = a.data<T>();
    const T* right = b.data<T>();
    T* target = y.data<T>();
    const auto flat = [&](std::int64_t left_step, std::int64_t right_step) {
      parallel_for(device_of(y), y.size(), kElementsPerThread, [&](std::int64_t begin, std::int64_t end) {
        binary_row(op, left + begin * left_step, left_step, right + begin * right_step, right_step, target + begin, end - begin);
      });
    };
    if (y.size() == 0) return;
    const bool left_whole = a.size() == y.size(), right_whole = b.size() == y.size();
    if ((left_whole || a.size() == 1) && (right_whole || b.size() == 1)) return flat(left_whole, right_whole);

    const Shape& shape = y.shape();
    const Walk left_walk{a.shape(), shape}, right_walk{b.shape(), shape};
    const std::int64_t n = shape.back(), rows = y.size() / n;
    const auto last = static_cast<std::size_t>(shape.ndim() - 1);
    parallel_for(device_of(y), rows, std::max<std::int64_t>(kElementsPerThread / n, 1), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        binary_row(op, left + left_walk.start_of_row(row, shape), left_walk.strides[last],
                   right + right_walk.start_of_row(row, shape), right_walk.strides[last], target + row * n, n);
    });
  });
}

template <class... Ops>
void register_unary(KernelTable& table, kernels::OpList<Ops...>) {
  (table.set<kernels::Unary<Ops>>(unary<Ops>), ...);
}

template <class... Ops>
void register_binary(KernelTable& table, kernels::OpList<Ops...>) {
  (table.set<kernels::Binary<Ops>>(binary<Ops>), ...);
}

}  // namespace

void register_elementwise_kernels(KernelTable& table) {
  register_unary(table, kernels::UnaryOps{});
  register_binary(table, kernels::BinaryOps{});
}

}  // namespace renkei::cpu
