// Saving and loading optimizers.
#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/optimizers/optimizer.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {

void Optimizer::serialize(Serializer& s) {
  target();
  find_rules();
  s("t", t_);
  s("epoch", epoch_);
  Serializer shared = s.child("hyperparameters");
  for (Hyperparameter* hyperparameter : hyperparameters_) {
    double value = *hyperparameter;
    if (!s.is_loading() || shared.contains(hyperparameter->name())) shared(hyperparameter->name(), value);
    *hyperparameter = value;
  }
  for (const auto& rule : rules_) serialize_rule(s, *rule);
}

void Optimizer::serialize_rule(Serializer& s, UpdateRule& rule) {
  Serializer own = s.child(fmt::format("hyperparameters/{}", rule.path()));
  for (const Hyperparameter* hyperparameter : hyperparameters_) {
    const std::string& name = hyperparameter->name();
    if (s.is_loading() && own.contains(name)) {
      double value = 0;
      own(name, value);
      rule.set(name, value);
    }
  }
  if (!s.is_loading())
    for (auto [number, value] : rule.own_values_) own(hyperparameters_[number]->name(), value);

  Serializer part = s.child(rule.path());
  part("t", rule.t_);
  if (s.is_loading()) return load_states(part, rule);
  if (rule.t_ > 0)
    for (std::size_t k = 0; k < rule.state_.size(); ++k) part(state_list_[k].name, rule.state_[k]);
}

void Optimizer::load_states(Serializer& s, UpdateRule& rule) {
  bool any = false;
  for (const State& state : state_list_) any = any || s.contains(state.name);
  // Chainer counts steps of parameters without a shape, and writes no state for them.
  const bool needed = rule.t_ > 0 && rule.enabled && rule.is_initialized();
  rule.resumed_ = t_ > 0;
  if (!any && !needed) {
    if (!state_list_.empty()) rule.t_ = 0;
    for (std::size_t k = 0; k < rule.state_.size(); ++k) fill(rule.state_[k], state_list_[k].initial);
    return;
  }
  for (std::size_t k = 0; k < state_list_.size(); ++k) {
    if (rule.state_.size() <= k) {
      const bool known = rule.is_initialized();
      rule.state_.push_back(known ? full_like(rule.data(), state_list_[k].initial) : Array{});
    }
    s(state_list_[k].name, rule.state_[k]);
  }
}

}  // namespace renkei
