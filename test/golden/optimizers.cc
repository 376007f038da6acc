// Trajectories of every optimizer and hook over 20 steps with given gradients, and the state they leave in a file.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/optimizers/ada_delta.h>
#include <renkei/lib/optimizers/ada_grad.h>
#include <renkei/lib/optimizers/adam.h>
#include <renkei/lib/optimizers/corrected_momentum_sgd.h>
#include <renkei/lib/optimizers/momentum_sgd.h>
#include <renkei/lib/optimizers/msvag.h>
#include <renkei/lib/optimizers/nesterov_ag.h>
#include <renkei/lib/optimizers/optimizer_hooks.h>
#include <renkei/lib/optimizers/rmsprop.h>
#include <renkei/lib/optimizers/rmsprop_graves.h>
#include <renkei/lib/optimizers/sgd.h>
#include <renkei/lib/optimizers/smorms3.h>

#include "golden/golden.h"

namespace golden {
namespace {

using namespace renkei;
using nlohmann::json;
using Made = std::unique_ptr<Optimizer>;

const std::string kArrays = "optimizers.npz";

struct Model : Chain {
  Parameter w, b;
  Model(const Array& w_init, const Array& b_init) : w{*this, "w", w_init}, b{*this, "b", b_init} {}
};

/// Options that are not numbers: they are given when the optimizer is made.
struct Flags {
  bool amsgrad, adabound, eps_inside_sqrt;
  explicit Flags(const json& options)
      : amsgrad{options.value("amsgrad", false)},
        adabound{options.value("adabound", false)},
        eps_inside_sqrt{options.value("eps_inside_sqrt", false)} {}
};

template <class T>
Made make(const Flags&) {
  return std::make_unique<T>();
}
Made make_rmsprop(const Flags& flags) {
  return std::make_unique<optimizers::RMSprop>(optimizers::RMSpropOptions{.eps_inside_sqrt = flags.eps_inside_sqrt});
}
Made make_adam(const Flags& flags) {
  return std::make_unique<optimizers::Adam>(
      optimizers::AdamOptions{.amsgrad = flags.amsgrad, .adabound = flags.adabound});
}

const std::map<std::string, Made (*)(const Flags&)>& makers() {
  using namespace optimizers;
  static const std::map<std::string, Made (*)(const Flags&)> table{
      {"SGD", make<SGD>},
      {"MomentumSGD", make<MomentumSGD>},
      {"CorrectedMomentumSGD", make<CorrectedMomentumSGD>},
      {"NesterovAG", make<NesterovAG>},
      {"AdaGrad", make<AdaGrad>},
      {"AdaDelta", make<AdaDelta>},
      {"RMSprop", make_rmsprop},
      {"RMSpropGraves", make<RMSpropGraves>},
      {"SMORMS3", make<SMORMS3>},
      {"MSVAG", make<MSVAG>},
      {"Adam", make_adam},
      {"AdamW", make<AdamW>},
      {"AMSGrad", make<AMSGrad>},
      {"AdaBound", make<AdaBound>},
      {"AMSBound", make<AMSBound>}};
  return table;
}

/// Adds the hook that `facts` describes to an optimizer or a rule.
template <class Target>
void add_hook(Target& target, const json& facts) {
  using namespace optimizer_hooks;
  const std::string name = facts.at("hook");
  const json& args = facts.at("args");
  HookOptions options;
  if (facts.value("timing", "pre") == "post") options.timing = HookTiming::post;
  const auto number = [&](const char* key, double otherwise) { return args.value(key, otherwise); };
  if (name == "WeightDecay") return target.add_hook(WeightDecay{args.at("rate")}, options);
  if (name == "Lasso") return target.add_hook(Lasso{args.at("rate")}, options);
  if (name == "GradientHardClipping")
    return target.add_hook(GradientHardClipping{args.at("lower_bound"), args.at("upper_bound")}, options);
  if (name == "GradientLARS") {
    const GradientLARS usual;
    return target.add_hook(GradientLARS{number("threshold", usual.threshold),
                                        number("weight_decay", usual.weight_decay), number("eps", usual.eps)},
                           options);
  }
  if constexpr (std::is_same_v<Target, Optimizer>)
    if (name == "GradientClipping") return target.add_hook(GradientClipping{args.at("threshold")}, options);
  throw ValueError{"hook of a golden case", name, "a known one"};
}

void set_all(Optimizer& optimizer, const json& values) {
  for (const auto& [name, value] : values.items())
    if (value.is_number()) optimizer.set(name, value);
}

void check_defaults(Outcome& outcome, const Optimizer& optimizer, const json& defaults) {
  for (const auto& [name, value] : defaults.items())
    if (value.is_number()) outcome.compare("default " + name, optimizer.get(name), value.get<double>(), {});
}

/// Hooks, values of single parameters, and what is frozen.
void set_rules(Optimizer& optimizer, const json& facts) {
  const json hooks = facts.value("hooks", json::array()), param_hooks = facts.value("param_hooks", json::object());
  const json values = facts.value("param_hyperparams", json::object());
  const json disabled = facts.value("disabled", json::array());
  for (const json& hook : hooks) add_hook(optimizer, hook);
  for (const auto& [param, own] : param_hooks.items())
    for (const json& hook : own) add_hook(optimizer.rule(param), hook);
  for (const auto& [param, own] : values.items())
    for (const auto& [name, value] : own.items()) optimizer.rule(param).set(name, value);
  for (const json& param : disabled) optimizer.rule(param.get<std::string>()).enabled = false;
}

bool lists(const json& facts, const char* entry, const std::string& param, int step) {
  const json none = facts.value(entry, json::object());
  if (!none.contains(param)) return false;
  for (const json& listed : none.at(param))
    if (listed == step) return true;
  return false;
}

void compare_state(Suite& suite, Outcome& outcome, const json& facts, Optimizer& optimizer) {
  Dictionary saved;
  Serializer serializer = Serializer::saving(saved);
  optimizer.serialize(serializer);
  std::erase_if(saved, [](const auto& entry) { return entry.first.starts_with("hyperparameters/"); });
  for (const auto& [name, value] : saved)
    outcome.expect(facts.at("state").contains(name), fmt::format("state {}: Chainer's file has no such entry", name));
  for (const auto& [name, key] : facts.at("state").items()) {
    if (!saved.contains(name)) {
      outcome.expect(false, fmt::format("state {}: not saved", name));
      continue;
    }
    const Value& value = saved.at(name);
    const Array wanted = suite.array(kArrays, key);
    if (const auto* count = std::get_if<std::int64_t>(&value))
      outcome.compare("state " + name, static_cast<double>(*count), to_double(wanted), {});
    else
      outcome.compare("state " + name, std::get<Array>(value), wanted, tolerance_of(facts.at("state_tolerance")));
  }
}

void run(Suite& suite, Outcome& outcome, const json& facts) {
  const json& file = suite.json("optimizers.json");
  const auto load = [&](const std::string& key) { return to_device(suite.array(kArrays, key), suite.device()); };
  const json& params = file.at("params");
  const DeviceScope scope{suite.device()};
  Model model{load(params.at("w").at("init")), load(params.at("b").at("init"))};
  const std::map<std::string, Array> grads{{"w", load(params.at("w").at("grads"))},
                                           {"b", load(params.at("b").at("grads"))}};

  json options = facts.at("defaults");
  options.update(facts.at("hyperparams"));
  const Made optimizer = makers().at(facts.at("optimizer"))(Flags{options});
  check_defaults(outcome, *optimizer, facts.at("defaults"));
  set_all(*optimizer, options);
  optimizer->setup(model);
  set_rules(*optimizer, facts);

  const json changes = facts.value("hyperparam_changes", json::object());
  for (int step = 1; step <= file.at("steps").get<int>(); ++step) {
    if (changes.contains(std::to_string(step))) set_all(*optimizer, changes.at(std::to_string(step)));
    model.cleargrads();
    for (const auto& [name, parameter] : model.named_params())
      if (!lists(facts, "none_grads", name, step))
        parameter->set_grad(Variable{grads.at(name).slice(step - 1, step).reshape(parameter->shape())});
    optimizer->update();
    const std::string number = std::to_string(step);
    if (!facts.at("values").contains(number)) continue;
    for (const auto& [name, parameter] : model.named_params())
      outcome.compare(fmt::format("step {} {}", step, name), parameter->data(),
                      suite.array(kArrays, facts.at("values").at(number).at(name)),
                      tolerance_of(facts.at("tolerance")));
  }
  compare_state(suite, outcome, facts, *optimizer);
}

}  // namespace

void add_optimizers(Suite& suite) {
  if (!suite.has("optimizers.json")) return;
  for (const json& facts : suite.json("optimizers.json").at("cases")) {
    Case c{"optimizers", facts.at("optimizer"), facts.at("id"), {}};
    if (makers().contains(facts.at("optimizer")))
      c.run = [&suite, &facts](Outcome& outcome) { run(suite, outcome, facts); };
    suite.add(std::move(c));
  }
}

}  // namespace golden
