#include <renkei/lib/links/classifier.h>

#include <fmt/format.h>

#include <renkei/lib/functions/evaluation.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/reporter/reporter.h>

namespace renkei::links {
namespace {

std::size_t label_index(const Variables& batch, int label) {
  const int count = static_cast<int>(batch.size());
  if (count != 2) throw ValueError{"classifier: arrays in the batch", count, "two: the input and the label"};
  if (label < -count || label >= count)
    throw ValueError{"classifier: label", label, fmt::format("an index into the {} arrays of the batch", count)};
  return static_cast<std::size_t>(label < 0 ? label + count : label);
}

}  // namespace

ClassifierBase::ClassifierBase(ClassifierOptions options)
    : compute_accuracy{options.compute_accuracy}, options_{std::move(options)} {
  if (!options_.lossfun)
    options_.lossfun = [](const Variable& y, const Variable& t) { return functions::softmax_cross_entropy(y, t); };
  if (!options_.accfun)
    options_.accfun = [](const Variable& y, const Variable& t) { return functions::accuracy(y, t); };
}

Variable ClassifierBase::loss(const Variables& batch) {
  return blaming([&] {
    const std::size_t label = label_index(batch, options_.label);
    const Variable& t = batch[label];
    const Variable y = predict(batch[1 - label]);
    const Variable loss = options_.lossfun(y, t);
    const auto samples = static_cast<double>(t.ndim() > 0 ? t.shape()[0] : 1);
    const void* self = static_cast<const Link*>(this);
    report("loss", loss, samples, self);
    if (compute_accuracy && is_reporting()) report("accuracy", options_.accfun(y, t), samples, self);
    return loss;
  });
}

}  // namespace renkei::links
