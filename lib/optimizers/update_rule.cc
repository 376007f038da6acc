#include <renkei/lib/optimizers/update_rule.h>

#include <algorithm>

#include <fmt/format.h>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/optimizers/optimizer.h>

namespace renkei {

UpdateRule::UpdateRule(Optimizer& optimizer, std::string path, std::shared_ptr<VariableBody> body)
    : optimizer_{optimizer}, path_{std::move(path)}, body_{std::move(body)} {}

double UpdateRule::get(std::string_view name) const {
  const Hyperparameter& shared = optimizer_.hyperparameter(name);
  for (const auto& [number, value] : own_values_)
    if (number == shared.number()) return value;
  return shared;
}

void UpdateRule::set(std::string_view name, double value) {
  unset(name);
  own_values_.emplace_back(optimizer_.hyperparameter(name).number(), value);
  std::sort(own_values_.begin(), own_values_.end());
}

void UpdateRule::unset(std::string_view name) {
  const std::size_t number = optimizer_.hyperparameter(name).number();
  std::erase_if(own_values_, [&](const auto& own) { return own.first == number; });
}

void UpdateRule::add(OptimizerHook hook) {
  for (const OptimizerHook& other : hooks_)
    if (other.name == hook.name)
      throw ValueError{fmt::format("{}: name of a hook", path_), fmt::format("'{}' twice", hook.name),
                       "a name of its own for each"};
  hooks_.push_back(std::move(hook));
}

void UpdateRule::remove_hook(std::string_view name) {
  if (std::erase_if(hooks_, [&](const OptimizerHook& hook) { return hook.name == name; }) == 0)
    throw ValueError{fmt::format("{}: name of a hook", path_), name, "one that was added"};
}

bool UpdateRule::is_initialized() const { return static_cast<bool>(body_->data); }
const Array& UpdateRule::data() const { return body_->data; }
const Array& UpdateRule::grad() const { return body_->grad.data(); }

Array UpdateRule::state(std::string_view name) const {
  const auto& specs = optimizer_.states();
  for (std::size_t k = 0; k < state_.size(); ++k)
    if (specs[k].name == name) return state_[k];
  return {};
}

bool UpdateRule::steps_like(const UpdateRule& other) const {
  return enabled && hooks_.empty() && t_ == other.t_ && own_values_ == other.own_values_;
}

}  // namespace renkei
