#include <renkei/extensions/observe_value.h>

#include <algorithm>

#include <renkei/lib/core/error.h>
#include <renkei/lib/optimizers/optimizer.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {

void ObserveValue::call(Trainer& trainer) { trainer.observation().set(key_, {value_(trainer), 1.0}); }

ObserveValue observe_value(std::string key, std::function<double(Trainer&)> value) {
  return ObserveValue{std::move(key), std::move(value)};
}

ObserveValue observe_lr(std::string optimizer_name, std::string key) {
  return observe_value(std::move(key), [optimizer_name](Trainer& trainer) {
    for (const auto& [name, optimizer] : trainer.updater().optimizers()) {
      if (name != optimizer_name) continue;
      const auto names = optimizer->hyperparameter_names();
      return optimizer->get(std::find(names.begin(), names.end(), "lr") == names.end() ? "alpha" : "lr");
    }
    throw ValueError{"observe_lr: optimizer", optimizer_name, "the name of an optimizer of the updater"};
  });
}

}  // namespace renkei::extensions
