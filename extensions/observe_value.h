// observe_value, observe_lr: put a number of your own into the observation, so that reports show it.
#pragma once

#include <functional>
#include <string>

#include <renkei/trainer/extension.h>

namespace renkei::extensions {

class ObserveValue final : public Extension {
 public:
  ObserveValue(std::string key, std::function<double(Trainer&)> value) : key_{std::move(key)}, value_{std::move(value)} {}

  std::string default_name() const override { return "_observe_value"; }
  TriggerSpec default_trigger() const override { return {1, "epoch"}; }
  int default_priority() const override { return priority::kWriter; }
  void call(Trainer& trainer) override;

 private:
  std::string key_;
  std::function<double(Trainer&)> value_;
};

/// observation[key] = value(trainer)
ObserveValue observe_value(std::string key, std::function<double(Trainer&)> value);

/// The configured learning rate of an optimizer: its `lr`, or `alpha` where it is called so.
ObserveValue observe_lr(std::string optimizer_name = "main", std::string key = "lr");

}  // namespace renkei::extensions
