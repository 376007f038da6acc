#include <renkei/extensions/evaluator.h>

#include <fmt/format.h>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/reporter/reporter.h>
#include <renkei/lib/reporter/summary.h>
#include <renkei/trainer/standard_updater.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {

Evaluator::Evaluator(Iterator& iterator, Link& target, EvaluatorOptions options)
    : iterator_{iterator}, target_{target}, options_{std::move(options)} {
  if (iterator.repeats()) throw StateError{"evaluator: the iterator repeats, so an evaluation would never end; want .repeat = false"};
  if (options_.eval_func) return;
  auto* model = dynamic_cast<LossLink*>(&target);
  if (!model) throw StateError{"evaluator: the target does not compute a loss; wrap it in links::Classifier or give an eval_func"};
  options_.eval_func = [model](const Variables& batch) { model->loss(batch); };
}

Observation Evaluator::evaluate(const std::string& prefix) {
  Reporter reporter;
  for (const auto& [path, link] : target_.named_links())
    reporter.add_observer(path.empty() || prefix.empty() ? prefix + path : fmt::format("{}/{}", prefix, path), link);

  const NoBackpropMode no_backprop;
  const TestMode test;
  DictSummary summary;
  iterator_.reset();
  while (const std::optional<Batch> batch = iterator_.next()) {
    Observation observation;
    const ReporterScope scope{reporter, observation};
    try {
      options_.eval_func(to_variables(*batch, options_.device ? *options_.device : current_device()));
    } catch (Error& error) {
      target_.explain(error);
      throw;
    }
    summary.add(observation);
  }

  Observation means;
  for (const auto& [key, mean] : summary.means()) means.set(key, {mean, summary.find(key)->weight()});
  return means;
}

void Evaluator::call(Trainer& trainer) {
  for (const auto& [key, reported] : evaluate(trainer.name_of(*this) + "/main")) report(key, reported);
}

}  // namespace renkei::extensions
