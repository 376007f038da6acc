#include <renkei/trainer/standard_updater.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {

Variables to_variables(const Batch& batch, Device& device) {
  Variables variables;
  variables.reserve(batch.arrays.size());
  for (const Array& array : batch.arrays) variables.emplace_back(to_device(array, device));
  return variables;
}

void Updater::serialize_iteration(Serializer& s) { s("iteration", iteration_); }

namespace updaters {
namespace {

LossFunction loss_of(Link& target) {
  if (!dynamic_cast<LossLink*>(&target))
    throw StateError{"standard updater: the optimizer's target does not compute a loss; wrap the model in "
                     "links::Classifier or give a loss_func"};
  return [](Link& model, const Variables& batch) { return dynamic_cast<LossLink&>(model).loss(batch); };
}

}  // namespace

StandardUpdater::StandardUpdater(Iterator& iterator, Optimizer& optimizer, StandardOptions options)
    : iterator_{iterator},
      optimizer_{optimizer},
      device_{options.device ? *options.device : current_device()},
      loss_func_{options.loss_func ? std::move(options.loss_func) : loss_of(optimizer.target())} {
  optimizer_.target().to_device(device_);
}

void StandardUpdater::update_core() {
  const DeviceScope scope{device_};
  const std::optional<Batch> batch = iterator_.next();
  if (!batch) throw StateError{"standard updater: the training data has ended; make the iterator repeat"};
  const Variables variables = to_variables(*batch, device_);
  RandomGenerator& generator = default_generator();
  const std::uint64_t stream = generator.next_stream();
  const std::int64_t steps = optimizer_.t();
  try {
    optimizer_.update([&] { return loss_func_(optimizer_.target(), variables); });
  } catch (...) {
    if (optimizer_.t() == steps) {  // as if the iteration had not begun: a snapshot taken now goes on with this batch
      iterator_.step_back();
      generator.reset(generator.seed(), stream);
    }
    throw;
  }
  if (iterator_.is_new_epoch()) optimizer_.new_epoch();
}

void StandardUpdater::serialize(Serializer& s) {
  s.object("iterator:main", iterator_);
  s.object("model:main", optimizer_.target());
  s.object("optimizer:main", optimizer_);
  serialize_iteration(s);
}

}  // namespace updaters
}  // namespace renkei
