#include "golden/snapshot_objects.h"

#include <fmt/format.h>

#include <renkei/extensions/evaluator.h>
#include <renkei/extensions/log_report.h>
#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/iterators/serial_iterator.h>
#include <renkei/lib/links/classifier.h>
#include <renkei/lib/links/initializers.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/persistent.h>
#include <renkei/lib/links/sequential.h>
#include <renkei/lib/optimizers/adam.h>
#include <renkei/lib/optimizers/momentum_sgd.h>
#include <renkei/lib/optimizers/sgd.h>
#include <renkei/lib/serializers/npz.h>
#include <renkei/trainer/standard_updater.h>
#include <renkei/trainer/trainer.h>

namespace golden {
namespace {

using namespace renkei;

/// Of the keys of the file, those that the object does not save with the same bits. What Renkei saves in addition, such
/// as hyper-parameters and seeds, is not in files of Chainer.
std::vector<std::string> lost(const Dictionary& file, const std::string& path, Dictionary saved) {
  Dictionary wanted;
  for (const auto& [key, value] : file)
    if (key.starts_with(path)) wanted[key.substr(path.size())] = value;
  std::erase_if(saved, [&](const auto& entry) { return !wanted.contains(entry.first); });
  return differences(wanted, saved);
}

template <class Object>
void load_and_compare(Outcome& outcome, const std::string& file, const std::string& path, Object& object,
                      const std::vector<std::string>& changed = {}) {
  load_npz(file, object, {.path = path});
  Dictionary saved;
  Serializer serializer = Serializer::saving(saved);
  object.serialize(serializer);
  const auto differing = lost(read_npz(file), path, std::move(saved));
  outcome.expect(differing == changed, fmt::format("differ after loading: {}", fmt::join(differing, ", ")));
}

/// A link of one weight: Convolution2D without bias, EmbedID, PReLU as far as files go.
struct Weight : Link {
  Weight(Chain& parent, const std::string& name, const Shape& shape) : Link{parent, name}, W{*this, "W", zero, shape} {}
  explicit Weight(const Shape& shape) : W{*this, "W", zero, shape} {}
  Variable operator()(const Variable& x) { return x; }
  static inline const Initializer zero = initializers::Zero{};
  Parameter W;
};

struct BatchNormalization : Link {
  BatchNormalization(Chain& parent, const std::string& name, std::int64_t size)
      : Link{parent, name}, gamma{*this, "gamma", initializers::One{}, {size}},
        beta{*this, "beta", initializers::Zero{}, {size}},
        avg_mean{*this, "avg_mean", zeros({size}, Dtype::float32)},
        avg_var{*this, "avg_var", zeros({size}, Dtype::float32)}, N{*this, "N", 0} {}
  Parameter gamma, beta;
  Persistent<Array> avg_mean, avg_var;
  Persistent<std::int64_t> N;
};

struct Inner : Chain {
  Inner(Chain& parent, const std::string& name) : Chain{parent, name} {}
  links::Linear lin{*this, "lin", 3, 2};
  Parameter gain{*this, "gain", initializers::Zero{}, {}};
  Parameter lazy{*this, "lazy", initializers::Zero{}};
  Persistent<std::int64_t> count{*this, "count", 0};
  Persistent<double> ratio{*this, "ratio", 0};
  Persistent<bool> flag{*this, "flag", false};
  Persistent<Array> mean{*this, "mean", zeros({2}, Dtype::float32)};
  Persistent<std::int64_t> steps{*this, "steps", 0};
  Persistent<std::string> label{*this, "label", ""};
};

struct Outer : Chain {
  Inner inner{*this, "inner"};
  BatchNormalization bn{*this, "bn", 2};
  links::Linear late{*this, "late", 2};
};

struct Items : ChainList {
  Items() {
    add(Outer{});
    add(Weight{{4, 2}});
    add(Weight{{3}});
  }
  Variable operator()(const Variable& x) { return x; }
};

void load_nested(Outcome& outcome, const std::string& file) {
  Sequential model{links::Linear{4, 3}, functions::tanh, Weight{{2, 1, 2, 2}}, Items{}};
  load_and_compare(outcome, file, "", model);
  outcome.expect(!model.param("2/0/late/W").is_initialized(), "a parameter without a shape got one");
}

struct TwoLayers : Chain {
  links::Linear l1{*this, "l1", 3, 2}, l2{*this, "l2", 2, 2};
  Variable forward(const Variable& x) { return l2(l1(x)); }
};

struct ThreeLayers : TwoLayers {
  links::Linear l3{*this, "l3", 2};  // no input has told its size
};

template <class Model>
void load_optimizer(Outcome& outcome, const std::string& file, Optimizer&& optimizer, std::int64_t t,
                    const std::vector<std::string>& changed = {}) {
  Model model;
  optimizer.setup(model);
  load_and_compare(outcome, file, "", optimizer, changed);
  outcome.equal("t", std::to_string(optimizer.t()), std::to_string(t));
}

/// The whole snapshot into a trainer. Its schedules and triggers that this version lacks are passed over.
void resume_trainer(Outcome& outcome, const std::string& file) {
  const TupleDataset dataset{{zeros({10, 3}, Dtype::float32), zeros({10}, Dtype::int64)}};
  links::Classifier model{TwoLayers{}};
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator{dataset, 4}, test_iterator{dataset, 4, {.repeat = false, .shuffle = false}};
  updaters::StandardUpdater updater{iterator, optimizer};
  Trainer trainer{updater, {8, "iteration"}};
  trainer.extend(extensions::Evaluator{test_iterator, model});
  auto& log = trainer.extend(extensions::LogReport{{.trigger = {2, "iteration"}}});
  trainer.resume(file);
  outcome.equal("iteration", std::to_string(updater.iteration()), "7");
  outcome.equal("epoch", std::to_string(updater.epoch()), "2");
  outcome.equal("rows of the log", std::to_string(log.log().size()), "3");
  outcome.expect(trainer.elapsed_time() > 0.0146, "the time of the earlier run is not counted");
  Dictionary saved;
  Serializer serializer = Serializer::saving(saved);
  trainer.serialize(serializer);
  const Dictionary stored = read_npz(file);
  for (const char* part : {"updater/", "extension_triggers/validation/", "extensions/LogReport/_trigger/",
                           "extensions/LogReport/_summary/", "extension_triggers/LogReport/"}) {
    Dictionary mine;
    for (const auto& [key, value] : saved)
      if (key.starts_with(part)) mine[key.substr(std::string_view{part}.size())] = value;
    auto differing = lost(stored, part, std::move(mine));
    std::erase(differing, "_names");  // a list in JSON, here without spaces; the sums beside it are compared
    outcome.expect(differing.empty(), fmt::format("{}: differ after resuming: {}", part, fmt::join(differing, ", ")));
  }
}

void load_trainer(Outcome& outcome, const std::string& file) {
  links::Classifier model{TwoLayers{}};
  load_and_compare(outcome, file, "updater/model:main/", model);
  optimizers::MomentumSGD optimizer;
  optimizer.setup(model);
  load_and_compare(outcome, file, "updater/optimizer:main/", optimizer);
  outcome.equal("optimizer's t", std::to_string(optimizer.t()), "7");

  const TupleDataset dataset{{zeros({10, 3}, Dtype::float32)}};
  iterators::SerialIterator iterator{dataset, 4};
  load_and_compare(outcome, file, "updater/iterator:main/", iterator);
  const auto batch = iterator.next();  // position 8 of epoch 2; the last two of the stored order come next
  outcome.expect(batch && batch->indices.size() == 4 && batch->indices[0] == 6 && batch->indices[1] == 9,
                 "the next batch does not start with examples 6 and 9");
}

}  // namespace

std::function<void(Outcome&)> loading_case(const std::string& file, const std::string& path) {
  using namespace optimizers;
  if (file == "nested.npz" || file == "nested_stored.npz") return [path](Outcome& o) { load_nested(o, path); };
  if (file == "trainer_mid.npz")
    return [path](Outcome& o) {
      load_trainer(o, path);
      resume_trainer(o, path);
    };
  if (file == "optimizer_sgd.npz") return [path](Outcome& o) { load_optimizer<TwoLayers>(o, path, SGD{}, 3); };
  if (file == "optimizer_momentum.npz")
    return [path](Outcome& o) { load_optimizer<TwoLayers>(o, path, MomentumSGD{}, 2); };
  if (file == "optimizer_adam.npz") return [path](Outcome& o) { load_optimizer<TwoLayers>(o, path, Adam{}, 2); };
  if (file == "optimizer_adam_fresh.npz") return [path](Outcome& o) { load_optimizer<TwoLayers>(o, path, Adam{}, 0); };
  if (file == "optimizer_amsbound.npz")
    return [path](Outcome& o) { load_optimizer<TwoLayers>(o, path, AMSBound{}, 2); };
  // Chainer counts the steps of a parameter without a shape, though it never stepped; here it starts from 0.
  if (file == "optimizer_adam_lazy.npz")
    return [path](Outcome& o) { load_optimizer<ThreeLayers>(o, path, Adam{}, 2, {"l3/W/t"}); };
  return {};
}

}  // namespace golden
