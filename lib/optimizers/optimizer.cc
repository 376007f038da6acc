#include <renkei/lib/optimizers/optimizer.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {

Hyperparameter::Hyperparameter(Optimizer& owner, std::string name, double value)
    : name_{std::move(name)}, number_{owner.hyperparameters_.size()}, value_{value} {
  owner.hyperparameters_.push_back(this);
}

double UpdateStep::operator[](const Hyperparameter& hyperparameter) const {
  for (const auto& [number, value] : rule_.own_values_)
    if (number == hyperparameter.number()) return value;
  return hyperparameter;
}

double UpdateStep::representable(const Hyperparameter& eps) const {
  const double value = (*this)[eps];
  if (value != 0.0 && param_.dtype() == Dtype::float32 && static_cast<float>(value) == 0.0f)
    throw ValueError{eps.name(), value, "a value that float32 can hold"};
  return value;
}

Optimizer::~Optimizer() = default;

Link& Optimizer::target() const {
  if (!target_) throw StateError{"optimizer: it has no model yet; call setup(model) first"};
  return *target_;
}

void Optimizer::attach(Link& target) {
  target_ = &target;
  t_ = epoch_ = 0;
  hooks_.clear();
  rules_.clear();
  structure_version_ = 0;
  find_rules();
  const auto has_shape = [](const auto& rule) { return rule->is_initialized(); };
  if (std::all_of(rules_.begin(), rules_.end(), has_shape)) make_current();
  on_setup();
}

Hyperparameter& Optimizer::hyperparameter(std::string_view name) const {
  for (Hyperparameter* hyperparameter : hyperparameters_)
    if (hyperparameter->name() == name) return *hyperparameter;
  throw ValueError{"hyper-parameter", name, fmt::format("one of {}", fmt::join(hyperparameter_names(), ", "))};
}

std::vector<std::string> Optimizer::hyperparameter_names() const {
  std::vector<std::string> names;
  for (const Hyperparameter* hyperparameter : hyperparameters_) names.push_back(hyperparameter->name());
  return names;
}

UpdateRule& Optimizer::rule(std::string_view path) {
  std::vector<std::string_view> paths;
  for (const auto& rule : rules()) {
    if (rule->path() == path) return *rule;
    paths.push_back(rule->path());
  }
  throw ValueError{"path of a parameter", path, fmt::format("one of {}", fmt::join(paths, ", "))};
}

const std::vector<std::unique_ptr<UpdateRule>>& Optimizer::rules() {
  find_rules();
  return rules_;
}

void Optimizer::enable(Link& link, bool enabled) {
  std::string path;
  if (!target().find_path(&link, path)) throw ValueError{"optimizer: a link that is not part of its model"};
  std::set<const void*> inside;
  for (const auto& [name, parameter] : link.named_params()) inside.insert(parameter->id());
  for (const auto& rule : rules())
    if (inside.contains(rule->body_.get())) rule->enabled = enabled;
}

void Optimizer::add(OptimizerHook hook) {
  target();
  for (const OptimizerHook& other : hooks_)
    if (other.name == hook.name)
      throw ValueError{"name of a hook", fmt::format("'{}' twice", hook.name), "a name of its own for each"};
  hooks_.push_back(std::move(hook));
}

void Optimizer::remove_hook(std::string_view name) {
  if (std::erase_if(hooks_, [&](const OptimizerHook& hook) { return hook.name == name; }) == 0)
    throw ValueError{"name of a hook", name, "one that was added"};
}

/// One rule for each parameter of the target as it is now; those there were keep their state.
void Optimizer::find_rules() {
  if (structure_version_ == Link::structure_version()) return;
  structure_version_ = Link::structure_version();
  std::map<std::string, std::unique_ptr<UpdateRule>, std::less<>> known;
  for (auto& rule : rules_) known.emplace(rule->path(), std::move(rule));
  rules_.clear();
  std::set<const void*> seen;
  bool changed = false;
  for (const auto& [path, parameter] : target().named_params()) {
    if (!seen.insert(parameter->id()).second) continue;
    auto& rule = known[path];
    if (!rule) rule = std::make_unique<UpdateRule>(*this, path, nullptr);
    if (rule->body_ != parameter->body()) {
      changed = true;
      rule->body_ = parameter->body();
      if (!rule->state_.empty() && rule->is_initialized() && rule->state_[0].shape() != rule->data().shape()) {
        rule->state_.clear();  // another layer took the name
        rule->t_ = 0;
      }
    }
    rules_.push_back(std::move(rule));
  }
  changed = changed || known.size() != rules_.size();
  if (!changed) return;
  arena_ = {};
  flat_states_.clear();
}

/// Rules, arena and parameters agree afterwards.
void Optimizer::make_current() {
  find_rules();
  if (!arena_.blocks().empty() && arena_.is_current()) return;
  std::vector<std::shared_ptr<VariableBody>> bodies;
  for (const auto& rule : rules_) bodies.push_back(rule->body_);
  arena_ = ParameterArena{bodies};
  flat_states_.assign(arena_.blocks().size(), {});
}

void Optimizer::cleargrads() {
  find_rules();
  for (const auto& rule : rules_) rule->body_->grad = {};
}

void Optimizer::update(const std::function<Variable()>& lossfun) {
  try {
    const Variable loss = lossfun();
    if (!loss.requires_grad())
      throw StateError{"update: the loss does not depend on any parameter (was it computed in no-backprop mode?)"};
    cleargrads();
    loss.backward();
  } catch (Error& error) {
    target().explain(error);
    throw;
  }
  update();
}

void Optimizer::update() {
  target();
  make_current();
  arena_.collect_gradients();
  run_hooks(HookTiming::pre);
  ++t_;
  for (std::size_t block = 0; block < arena_.blocks().size(); ++block) step_block(block);
  run_hooks(HookTiming::post);
}

void Optimizer::run_hooks(HookTiming timing) {
  for (const OptimizerHook& hook : hooks_) {
    if (hook.timing != timing) continue;
    if (hook.whole) hook.whole(*this);
    else
      for (const auto& rule : rules_)
        if (rule->enabled && rule->is_initialized()) hook.each(*rule);
    arena_.collect_gradients();
  }
}

/// State buffers for a block, filled with what its rules had.
void Optimizer::make_states(std::size_t block) {
  const ParameterArena::Block& parameters = arena_.blocks()[block];
  std::vector<Array>& flat = flat_states_[block];
  for (const State& state : state_list_) flat.push_back(full_like(parameters.data, state.initial));
  for (const ParameterArena::Slot& slot : parameters.slots) {
    UpdateRule& rule = *rules_[slot.index];
    for (std::size_t k = 0; k < flat.size(); ++k) {
      const Array view = flat[k].slice(slot.offset, slot.offset + slot.data.size()).reshape(slot.data.shape());
      if (rule.state_.size() <= k) {
        rule.state_.push_back(view);
        continue;
      }
      if (rule.state_[k].shape() != view.shape())
        throw MismatchError{fmt::format("optimizer: state {} of {} has shape {}, the parameter {}", state_list_[k].name,
                                        rule.path(), rule.state_[k].shape().to_string(), view.shape().to_string())};
      copy_into(view, cast(rule.state_[k], view.dtype()));
      rule.state_[k] = view;
    }
  }
}

void Optimizer::step_block(std::size_t block) {
  if (!state_list_.empty() && flat_states_[block].empty()) make_states(block);
  const auto& slots = arena_.blocks()[block].slots;
  const auto rule_of = [&](std::size_t i) -> UpdateRule& { return *rules_[slots[i].index]; };
  for (std::size_t first = 0, last; first < slots.size(); first = last) {
    UpdateRule& rule = rule_of(first);
    last = first + 1;
    if (!rule.enabled) continue;
    if (rule.hooks_.empty())
      while (last < slots.size() && rule_of(last).steps_like(rule)) ++last;
    for (std::size_t i = first; i < last; ++i) count_step(rule_of(i));
    for (const OptimizerHook& hook : rule.hooks_)
      if (hook.timing == HookTiming::pre) hook.each(rule);
    step_run(block, first, last);
    for (const OptimizerHook& hook : rule.hooks_)
      if (hook.timing == HookTiming::post) hook.each(rule);
  }
}

/// One kernel call for the slots [first, last), the gaps between them included.
void Optimizer::step_run(std::size_t block, std::size_t first, std::size_t last) {
  const ParameterArena::Block& parameters = arena_.blocks()[block];
  const std::vector<Array>& states = flat_states_[block];
  const auto& slots = parameters.slots;
  const UpdateRule& rule = *rules_[slots[first].index];
  if (first == 0 && last == slots.size()) return step(UpdateStep{rule, parameters.data, parameters.grad, states});
  const std::int64_t begin = slots[first].offset;
  const std::int64_t end = last < slots.size() ? slots[last].offset : parameters.data.size();
  std::vector<Array> parts;
  for (const Array& state : states) parts.push_back(state.slice(begin, end));
  step(UpdateStep{rule, parameters.data.slice(begin, end), parameters.grad.slice(begin, end), parts});
}

void Optimizer::count_step(UpdateRule& rule) {
  if (rule.t_++ == 0 && rule.resumed_ && !state_list_.empty())
    fmt::print(stderr, "renkei: optimizer: no saved state for {} (it was frozen or new); it starts afresh\n",
               rule.path());
}

}  // namespace renkei
