// Optimizer: changes the parameters of a model along their gradients.
//
//   optimizers::Adam optimizer;
//   optimizer.setup(model);
//   optimizer.add_hook(optimizer_hooks::WeightDecay{1e-4});
//   optimizer.rule("predictor/l3/W").set("alpha", 1e-4);
//   optimizer.update([&] { return model.loss(batch); });
//
// Parameters, gradients and states each live in one flat buffer (ParameterArena), and one fused kernel call steps all
// parameters that share hyper-parameters. An optimizer refers to its target, which must outlive it and stay in place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <renkei/lib/device/device.h>
#include <renkei/lib/kernels/optimizer.h>
#include <renkei/lib/links/link.h>
#include <renkei/lib/links/parameter_arena.h>
#include <renkei/lib/optimizers/update_rule.h>

namespace renkei {

/// A number that steers an optimizer, declared as a member of it. Reads and writes like a double.
class Hyperparameter {
 public:
  Hyperparameter(Optimizer& owner, std::string name, double value);
  Hyperparameter(const Hyperparameter&) = delete;
  Hyperparameter& operator=(const Hyperparameter& other) { return *this = other.value_; }

  operator double() const { return value_; }
  Hyperparameter& operator=(double value) {
    value_ = value;
    return *this;
  }
  const std::string& name() const { return name_; }
  std::size_t number() const { return number_; }  ///< place among those of its optimizer

 private:
  std::string name_;
  std::size_t number_;
  double value_;
};

/// What one fused step works on: a run of parameters with equal hyper-parameters.
class UpdateStep {
 public:
  std::int64_t t() const { return rule_.t(); }  ///< 1 in the first step
  double operator[](const Hyperparameter& hyperparameter) const;
  /// The value of an eps; throws ValueError if it is not 0 but becomes 0 in the dtype of the parameters.
  double representable(const Hyperparameter& eps) const;

  /// Applies the rule `op` (lib/kernels/optimizer.h) to all elements.
  template <class Op>
  void run(const Op& op) const {
    param_.device().template kernel<kernels::OptimizerStep<Op>>()(op, param_, grad_, states_);
  }

 private:
  friend class Optimizer;
  UpdateStep(const UpdateRule& rule, const Array& param, const Array& grad, std::span<const Array> states)
      : rule_{rule}, param_{param}, grad_{grad}, states_{states} {}

  const UpdateRule& rule_;
  const Array& param_;
  const Array& grad_;
  std::span<const Array> states_;
};

class Optimizer {
 public:
  struct State {
    std::string name;      // as Chainer's files call it
    double initial = 0.0;
  };

  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Takes `target` as the model to train, from the start: t, epoch, hooks and rules are new. Throws StateError if a
  /// member of the model lies outside it.
  template <class Target>
  void setup(Target& target) {
    Link::check_members(target);
    attach(target);
  }
  Link& target() const;  ///< StateError before setup

  /// loss = lossfun(); then clears the gradients, computes new ones and steps. Errors name the link they arose in.
  void update(const std::function<Variable()>& lossfun);
  /// One step along the gradients that are there. A parameter without gradient takes part with zeros.
  virtual void update();

  void new_epoch() { ++epoch_; }
  std::int64_t t() const { return t_; }          ///< number of steps
  std::int64_t epoch() const { return epoch_; }

  /// Hyper-parameters by name; ValueError lists the names there are.
  double get(std::string_view name) const { return hyperparameter(name); }
  void set(std::string_view name, double value) { hyperparameter(name) = value; }
  Hyperparameter& hyperparameter(std::string_view name) const;
  std::vector<std::string> hyperparameter_names() const;

  /// The rule of the parameter with that path; ValueError if there is none. It stays valid while the parameter exists.
  UpdateRule& rule(std::string_view path);
  /// All rules, in the order of Link::named_params.
  const std::vector<std::unique_ptr<UpdateRule>>& rules();
  /// Freezes all parameters at and below `link`, or lets them move again.
  void disable_update(Link& link) { enable(link, false); }
  void enable_update(Link& link) { enable(link, true); }

  /// Adds a callable that takes Optimizer& or UpdateRule&; the latter is called for every parameter that is not frozen.
  /// Hooks act in the order they were added. StateError before setup, ValueError if the name is taken.
  template <class Hook>
  void add_hook(Hook hook, const HookOptions& options = {}) {
    add(OptimizerHook::from(std::move(hook), options));
  }
  void remove_hook(std::string_view name);

  /// t, epoch and hyperparameters/NAME; for each parameter PATH/t and its states once it has stepped. Files of
  /// Chainer have no hyper-parameters: the present ones stay.
  virtual void serialize(Serializer& s);

  /// The states that one parameter has.
  const std::vector<State>& states() const { return state_list_; }
  /// Where the parameters are; made by setup when all shapes are known, else by the first update.
  ParameterArena& arena() { return arena_; }

 protected:
  explicit Optimizer(std::vector<State> states = {}) : state_list_{std::move(states)} {}

  /// One step of the parameters in `s`, as one call of s.run.
  virtual void step(const UpdateStep& s) = 0;
  /// Called at the end of setup.
  virtual void on_setup() {}

 private:
  friend class Hyperparameter;

  void attach(Link& target);
  void add(OptimizerHook hook);
  void enable(Link& link, bool enabled);
  void cleargrads();
  void find_rules();
  void make_current();
  void run_hooks(HookTiming timing);
  void make_states(std::size_t block);
  void step_block(std::size_t block);
  void step_run(std::size_t block, std::size_t first, std::size_t last);
  void count_step(UpdateRule& rule);
  void serialize_rule(Serializer& s, UpdateRule& rule);
  void load_states(Serializer& s, UpdateRule& rule);

  std::vector<State> state_list_;
  std::vector<Hyperparameter*> hyperparameters_;
  Link* target_ = nullptr;
  std::uint64_t structure_version_ = 0;
  std::vector<std::unique_ptr<UpdateRule>> rules_;
  ParameterArena arena_;
  std::vector<std::vector<Array>> flat_states_;  // for each block of the arena; empty before its first step
  std::vector<OptimizerHook> hooks_;
  std::int64_t t_ = 0, epoch_ = 0;
};

}  // namespace renkei
