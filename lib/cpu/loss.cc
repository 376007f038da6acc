#include <renkei/lib/kernels/loss.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>
#include <renkei/lib/cpu/parallel.h>

namespace renkei::cpu {
namespace {

using kernels::LabelOptions;

struct Extents {
  std::int64_t batch, classes, inner;
  explicit Extents(const Array& x) : batch{x.shape()[0]}, classes{x.shape()[1]}, inner{x.shape()[2]} {}
  std::int64_t rows() const { return batch * inner; }
  /// Where row i of `rows()` begins; its classes are `inner` apart.
  std::int64_t start(std::int64_t row) const { return row / inner * classes * inner + row % inner; }
};

[[noreturn]] void throw_bad_label(std::int64_t row, std::int64_t label, std::int64_t classes, std::int64_t ignore_label) {
  throw ValueError{fmt::format("softmax_cross_entropy: t[{}]", row), label,
                   fmt::format("a class from 0 to {}, or {} to ignore it", classes - 1, ignore_label)};
}

/// Checks every label and counts those that are not ignored.
template <class Label>
std::int64_t count_labels(const Label* t, std::int64_t rows, std::int64_t classes, std::int64_t ignore_label) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto label = static_cast<std::int64_t>(t[row]);
    if (label == ignore_label) continue;
    if (label < 0 || label >= classes) throw_bad_label(row, label, classes, ignore_label);
    ++count;
  }
  return count;
}

/// What a label's loss is multiplied by, weight aside.
double scale_of(const LabelOptions& options, std::int64_t count, std::int64_t batch) {
  if (options.per_label) return 1.0;
  return 1.0 / static_cast<double>(std::max<std::int64_t>(options.normalize ? count : batch, 1));
}

/// Softmax of one row whose elements are `stride` apart, into p unless it is null; returns log(sum(exp(x))).
template <class T>
T softmax_row(const T* x, std::int64_t classes, std::int64_t stride, T* p) {
  T largest = x[0];
  for (std::int64_t c = 1; c < classes; ++c) largest = x[c * stride] > largest ? x[c * stride] : largest;
  T total = 0;
  if (!p) {
    for (std::int64_t c = 0; c < classes; ++c) total += std::exp(x[c * stride] - largest);
  } else {
    for (std::int64_t c = 0; c < classes; ++c) total += p[c * stride] = std::exp(x[c * stride] - largest);
    const T inverse = T{1} / total;
    for (std::int64_t c = 0; c < classes; ++c) p[c * stride] *= inverse;
  }
  return std::log(total) + largest;
}

template <class F>
void visit_loss(std::string_view name, const Array& x, const Array& t, F&& f) {
  visit_float(name, x.dtype(), [&](auto tag) { visit_label(name, t.dtype(), [&](auto label_tag) { f(tag, label_tag); }); });
}

void softmax_cross_entropy(const LabelOptions& options, const Array& x, const Array& t, const Array& p, const Array& loss) {
  visit_loss(kernels::SoftmaxCrossEntropy::kName, x, t, [&](auto tag, auto label_tag) {
    using T = typename decltype(tag)::type;
    using Label = typename decltype(label_tag)::type;
    const Extents extents{x};
    const T* logits = x.data<T>();
    const Label* labels = t.data<Label>();
    const T* weight = options.weight ? options.weight.data<T>() : nullptr;
    T* probabilities = p ? p.data<T>() : nullptr;
    const std::int64_t count = count_labels(labels, extents.rows(), extents.classes, options.ignore_label);

    static thread_local std::vector<T> scratch;
    scratch.resize(static_cast<std::size_t>(extents.rows()));
    T* losses = options.per_label ? loss.data<T>() : scratch.data();
    parallel_for(device_of(x), extents.rows(), kElementsPerThread / 8 / extents.classes + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t start = extents.start(row);
        const T log_total = softmax_row(logits + start, extents.classes, extents.inner, probabilities ? probabilities + start : nullptr);
        const auto label = static_cast<std::int64_t>(labels[row]);
        if (label == options.ignore_label) losses[row] = 0;
        else losses[row] = (log_total - logits[start + label * extents.inner]) * (weight ? weight[label] : T{1});
      }
    });
    if (options.per_label) return;
    double total = 0;
    for (std::int64_t row = 0; row < extents.rows(); ++row) total += static_cast<double>(losses[row]);
    *loss.data<T>() = static_cast<T>(total * scale_of(options, count, extents.batch));
  });
}

void softmax_cross_entropy_grad(const LabelOptions& options, const Array& p, const Array& t, const Array& gloss, const Array& gx) {
  visit_loss(kernels::SoftmaxCrossEntropyGrad::kName, p, t, [&](auto tag, auto label_tag) {
    using T = typename decltype(tag)::type;
    using Label = typename decltype(label_tag)::type;
    const Extents extents{p};
    const T* probabilities = p.data<T>();
    const Label* labels = t.data<Label>();
    const T* weight = options.weight ? options.weight.data<T>() : nullptr;
    const T* upstream = gloss.data<T>();
    T* gradient = gx.data<T>();
    const std::int64_t count = count_labels(labels, extents.rows(), extents.classes, options.ignore_label);
    const auto scale = static_cast<T>(scale_of(options, count, extents.batch));
    parallel_for(device_of(p), extents.rows(), kElementsPerThread / extents.classes + 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t start = extents.start(row), stride = extents.inner;
        const auto label = static_cast<std::int64_t>(labels[row]);
        const bool ignored = label == options.ignore_label;
        const T factor = ignored ? T{0} : scale * upstream[options.per_label ? row : 0] * (weight ? weight[label] : T{1});
        for (std::int64_t c = 0; c < extents.classes; ++c) {
          const std::int64_t at = start + c * stride;
          gradient[at] = ignored ? T{0} : probabilities[at] * factor;
        }
        if (!ignored) gradient[start + label * stride] -= factor;
      }
    });
  });
}

void label_targets(const LabelOptions& options, const Array& t, const Array& y) {
  visit_loss(kernels::LabelTargets::kName, y, t, [&](auto tag, auto label_tag) {
    using T = typename decltype(tag)::type;
    using Label = typename decltype(label_tag)::type;
    const Extents extents{y};
    const Label* labels = t.data<Label>();
    const T* weight = options.weight ? options.weight.data<T>() : nullptr;
    T* target = y.data<T>();
    const std::int64_t count = count_labels(labels, extents.rows(), extents.classes, options.ignore_label);
    const double scale = scale_of(options, count, extents.batch);
    std::fill(target, target + y.size(), T{0});
    for (std::int64_t row = 0; row < extents.rows(); ++row) {
      const auto label = static_cast<std::int64_t>(labels[row]);
      if (label == options.ignore_label) continue;
      target[extents.start(row) + label * extents.inner] = static_cast<T>(scale) * (weight ? weight[label] : T{1});
    }
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
  visit_loss(kernels::Accuracy::kName, y, t, [&](auto tag, auto label_tag) {
    using T = typename decltype(tag)::type;
    using Label = typename decltype(label_tag)::type;
    const Extents extents{y};
    const T* scores = y.data<T>();
    const Label* labels = t.data<Label>();
    std::int64_t count = 0, right = 0;
    for (std::int64_t row = 0; row < extents.rows(); ++row) {
      const auto label = static_cast<std::int64_t>(labels[row]);
      if (ignore_label && label == *ignore_label) continue;
      ++count;
      right += first_largest(scores + extents.start(row), extents.classes, extents.inner) == label;
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
