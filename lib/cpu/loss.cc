#include <renkei/lib/kernels/loss.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>
#include <renkei/lib/cpu/softmax.h>

namespace renkei::cpu {
namespace {

using kernels::LabelOptions;

[[noreturn]] void throw_bad_label(std::int64_t row, std::int64_t label, std::int64_t classes, std::int64_t ignore_label) {
  throw ValueError{fmt::format("softmax_cross_entropy: t[{}]", row), label,
                   fmt::format("a class from 0 to {}, or {} to ignore it", classes - 1, ignore_label)};
}

/// Scores and labels as plain pointers. A row is one label: number n * inner + i is sample n, position i.
template <class T, class Label>
struct Problem {
  const LabelOptions& options;
  std::int64_t batch, classes, inner;
  const Label* labels;
  const T* weight;

  Problem(const LabelOptions& label_options, const Array& scores, const Array& t)
      : options{label_options}, batch{scores.shape()[0]}, classes{scores.shape()[1]}, inner{scores.shape()[2]},
        labels{t.data<Label>()}, weight{options.weight ? options.weight.template data<T>() : nullptr} {}

  std::int64_t rows() const { return batch * inner; }
  std::int64_t start(std::int64_t row) const { return row / inner * classes * inner + row % inner; }
  std::int64_t label(std::int64_t row) const { return static_cast<std::int64_t>(labels[row]); }
  bool ignored(std::int64_t row) const { return label(row) == options.ignore_label; }
  T weight_of(std::int64_t row) const { return weight ? weight[label(row)] : T{1}; }

  /// What the loss of each label is multiplied by, weight aside. Checks every label.
  T scale() const {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows(); ++row) {
      if (ignored(row)) continue;
      if (label(row) < 0 || label(row) >= classes) throw_bad_label(row, label(row), classes, options.ignore_label);
      ++count;
    }
    if (options.per_label) return T{1};
    return static_cast<T>(1.0 / static_cast<double>(std::max<std::int64_t>(options.normalize ? count : batch, 1)));
  }
};

template <class F>
void visit_problem(std::string_view name, const LabelOptions& options, const Array& scores, const Array& t, const F& f) {
  visit_float(name, scores.dtype(), [&](auto tag) {
    visit_label(name, t.dtype(), [&](auto label_tag) {
      f(tag, Problem<typename decltype(tag)::type, typename decltype(label_tag)::type>{options, scores, t});
    });
  });
}

template <class T, class Label>
T loss_of(const Problem<T, Label>& problem, const T* x, std::int64_t row, T largest, T log_sum) {
  if (problem.ignored(row)) return T{0};
  const T logit = x[problem.start(row) + problem.label(row) * problem.inner];
  return (log_sum - (logit - largest)) * problem.weight_of(row);
}

/// The loss of every label; probabilities into p unless it is null.
template <class T, class Label>
void losses_of_labels(const CpuDevice& device, const Problem<T, Label>& problem, const T* x, T* p, T* losses) {
  const std::int64_t classes = problem.classes, inner = problem.inner;
  const std::int64_t tiles = (inner + kSoftmaxColumns - 1) / kSoftmaxColumns;
  const std::int64_t grain = kElementsPerThread / 8 / (classes * std::min(inner, kSoftmaxColumns) + 1) + 1;
  parallel_for(device, problem.batch * tiles, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t row = part / tiles * inner + part % tiles * kSoftmaxColumns, start = problem.start(row);
      if (inner == 1) {
        const auto [largest, log_sum] = softmax_row(x + start, classes, p ? p + start : nullptr);
        losses[row] = loss_of(problem, x, row, largest, log_sum);
        continue;
      }
      ColumnTotals<T> totals;
      const std::int64_t width = std::min(kSoftmaxColumns, inner - row % inner);
      softmax_columns(x + start, classes, inner, width, p ? p + start : nullptr, totals);
      for (std::int64_t j = 0; j < width; ++j) {
        const auto column = static_cast<std::size_t>(j);
        losses[row + j] = loss_of(problem, x, row + j, totals.largest[column], totals.log_sum[column]);
      }
    }
  });
}

void softmax_cross_entropy(const LabelOptions& options, const Array& x, const Array& t, const Array& p, const Array& loss) {
  visit_problem(kernels::SoftmaxCrossEntropy::kName, options, x, t, [&](auto tag, const auto& problem) {
    using T = typename decltype(tag)::type;
    const T scale = problem.scale();
    T* probabilities = p ? p.data<T>() : nullptr;
    if (options.per_label) return losses_of_labels(device_of(x), problem, x.data<T>(), probabilities, loss.data<T>());

    static thread_local std::vector<T> losses;  // its memory stays: no allocation in the steady state
    losses.resize(static_cast<std::size_t>(problem.rows()));
    losses_of_labels(device_of(x), problem, x.data<T>(), probabilities, losses.data());
    double total = 0;
    for (const T one : losses) total += static_cast<double>(one);
    *loss.data<T>() = static_cast<T>(total * static_cast<double>(scale));
  });
}

void softmax_cross_entropy_grad(const LabelOptions& options, const Array& p, const Array& t, const Array& gloss, const Array& gx) {
  visit_problem(kernels::SoftmaxCrossEntropyGrad::kName, options, p, t, [&](auto tag, const auto& problem) {
    using T = typename decltype(tag)::type;
    const T *probabilities = p.data<T>(), *upstream = gloss.data<T>();
    T* gradient = gx.data<T>();
    const T scale = problem.scale();
    const std::int64_t classes = problem.classes, inner = problem.inner;
    const auto factor_of = [&](std::int64_t row) {
      return problem.ignored(row) ? T{0} : scale * problem.weight_of(row) * upstream[options.per_label ? row : 0];
    };
    parallel_for(device_of(p), problem.batch, kElementsPerThread / (classes * inner + 1) + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin * inner; row < end * inner; ++row) {
        const std::int64_t start = problem.start(row);
        const T factor = factor_of(row);
        const bool ignored = problem.ignored(row);  // its scores may be NaN, its gradient is 0 all the same
        if (ignored) for (std::int64_t c = 0; c < classes; ++c) gradient[start + c * inner] = T{0};
        else if (inner == 1) for (std::int64_t c = 0; c < classes; ++c) gradient[start + c] = probabilities[start + c] * factor;
        else for (std::int64_t c = 0; c < classes; ++c) gradient[start + c * inner] = probabilities[start + c * inner] * factor;
        if (!ignored) gradient[start + problem.label(row) * inner] -= factor;
      }
    });
  });
}

void label_targets(const LabelOptions& options, const Array& t, const Array& y) {
  visit_problem(kernels::LabelTargets::kName, options, y, t, [&](auto tag, const auto& problem) {
    using T = typename decltype(tag)::type;
    T* target = y.data<T>();
    const T scale = problem.scale();
    std::fill(target, target + y.size(), T{0});
    for (std::int64_t row = 0; row < problem.rows(); ++row)
      if (!problem.ignored(row)) target[problem.start(row) + problem.label(row) * problem.inner] = scale * problem.weight_of(row);
  });
}

/// NaN counts as largest, as in NumPy.
template <class T>
std::int64_t first_largest(const T* y, std::int64_t classes, std::int64_t stride) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < classes && y[best * stride] == y[best * stride]; ++c)
    if (!(y[c * stride] <= y[best * stride])) best = c;
  return best;
}

void accuracy(const Array& y, const Array& t, std::optional<std::int64_t> ignore_label, const Array& result) {
  const LabelOptions options{ignore_label.value_or(-1), true, false, {}};
  visit_problem(kernels::Accuracy::kName, options, y, t, [&](auto tag, const auto& problem) {
    using T = typename decltype(tag)::type;
    const T* scores = y.data<T>();
    std::int64_t count = 0, right = 0;
    for (std::int64_t row = 0; row < problem.rows(); ++row) {
      if (ignore_label && problem.ignored(row)) continue;
      ++count;
      right += first_largest(scores + problem.start(row), problem.classes, problem.inner) == problem.label(row);
    }
    *result.data<T>() = static_cast<T>(static_cast<double>(right) / static_cast<double>(std::max<std::int64_t>(count, 1)));
  });
}

}  // namespace

void register_loss_kernels(KernelTable& table) {
  table.set<kernels::SoftmaxCrossEntropy>(softmax_cross_entropy);
  table.set<kernels::SoftmaxCrossEntropyGrad>(softmax_cross_entropy_grad);
  table.set<kernels::LabelTargets>(label_targets);
  table.set<kernels::Accuracy>(accuracy);
}

}  // namespace renkei::cpu
