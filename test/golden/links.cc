// Links: initial values that do not depend on chance, names in files, outputs, gradients of inputs and parameters.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/links/classifier.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/parameter_link.h>
#include <renkei/lib/links/sequential.h>
#include <renkei/lib/reporter/reporter.h>

#include "golden/golden.h"

namespace golden {
namespace {

using namespace renkei;
using nlohmann::json;

const std::string kArrays = "links.npz";

/// A link made as a case says, and how to call it.
struct Subject {
  std::unique_ptr<Link> link;
  std::function<Variables(const Variables&)> call;
};

/// Owns a link and calls it with one variable.
template <class L>
Subject subject(L made) {
  auto link = std::make_unique<L>(std::move(made));
  L& reference = *link;
  return {std::move(link), [&reference](const Variables& x) -> Variables {
            if constexpr (requires { reference.forward(x[0]); }) return {reference.forward(x[0])};
            else return {reference(x[0])};
          }};
}

struct Mlp : Chain {
  links::Linear l1{*this, "l1", 5}, l2{*this, "l2", 3};
  Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
};

struct ThreeLinear : ChainList {
  ThreeLinear() {
    add(links::Linear{4, 3});
    add(links::Linear{3, 3});
    add(links::Linear{3, 2});
  }
  Variable forward(Variable x) {
    for (std::size_t i = 0; i < size(); ++i) x = at<links::Linear>(i)(x);
    return x;
  }
};

Subject make_linear(const json& args) {
  const links::LinearOptions options{.nobias = args.value("nobias", false),
                                     .n_batch_axes = args.value("n_batch_axes", 1)};
  const std::int64_t out_size = args.at("out_size");
  if (args.at("in_size").is_null()) return subject(links::Linear{out_size, options});
  return subject(links::Linear{args.at("in_size").get<std::int64_t>(), out_size, options});
}

Subject make_classifier(const json& args) {
  links::ClassifierOptions options;
  if (args.value("lossfun", "") == "mean_squared_error") options.lossfun = functions::mean_squared_error;
  if (args.value("accfun", "") == "r2_score")
    options.accfun = [](const Variable& y, const Variable& t) {
      const Variable residual = functions::sum((y - t) * (y - t), {0});
      const Variable away = t - functions::mean(t, {0}, {.keepdims = true});
      return functions::mean(1.0 - residual / functions::sum(away * away, {0}));
    };
  const std::int64_t out_size = args.at("predictor") == "Linear(4, 2)" ? 2 : 3;
  auto model = std::make_unique<links::Classifier<links::Linear>>(links::Linear{4, out_size}, options);
  auto& reference = *model;
  return {std::move(model), [&reference](const Variables& batch) -> Variables { return {reference.loss(batch)}; }};
}

Subject make_parameter(const json&) {
  auto link = std::make_unique<links::Parameter>(zeros({2, 3}, Dtype::float32));
  auto& reference = *link;
  return {std::move(link), [&reference](const Variables&) -> Variables { return {reference()}; }};
}

const std::map<std::string, Subject (*)(const json&)>& makers() {
  static const std::map<std::string, Subject (*)(const json&)> table{
      {"Linear", make_linear},
      {"Classifier", make_classifier},
      {"Parameter", make_parameter},
      {"Chain", [](const json&) { return subject(Mlp{}); }},
      {"ChainList", [](const json&) { return subject(ThreeLinear{}); }},
      {"Sequential", [](const json&) {
         return subject(Sequential{links::Linear{4, 3}, functions::tanh, links::Linear{3, 2}});
       }}};
  return table;
}

bool is_random(const Array& array) {
  const auto values = to_vector<float>(array);
  for (const float value : values)
    if (!std::isfinite(value)) return false;
  return values.size() > 1 && values[0] != values[1];
}

/// The values of a new link, by their names in a file.
void check_initial_values(Suite& suite, Outcome& outcome, const json& facts, Link& link) {
  Dictionary values;
  Serializer saver = Serializer::saving(values);
  link.serialize(saver);
  const json uninitialised = facts.value("uninitialised", json::array());
  for (const auto& [name, key] : facts.at("default_init").items()) {
    const Value value = values.contains(name) ? values.at(name) : Value{None{}};
    const auto* array = std::get_if<Array>(&value);
    outcome.expect(array, name + ": not in the file");
    if (array) outcome.compare("initial " + name, *array, suite.array(kArrays, key), {});
  }
  for (const std::string name : facts.at("random_init"))
    outcome.expect(is_random(std::get<Array>(values.at(name))), name + ": not random");
  for (const std::string name : uninitialised)
    outcome.expect(std::holds_alternative<None>(values.at(name)), name + ": not None");
  outcome.equal("number of values", std::to_string(values.size()), std::to_string(facts.at("init").size()));
  std::vector<std::string> paths;
  for (const auto& [path, parameter] : link.named_params()) paths.push_back(path);
  outcome.expect(paths == facts.at("param_keys").get<std::vector<std::string>>(), "other parameters");
}

void load_values(Suite& suite, const json& facts, Link& link) {
  Dictionary values;
  for (const auto& [name, key] : facts.at("init").items()) values[name] = suite.array(kArrays, key);
  Serializer loader = Serializer::loading(values, kArrays);
  link.serialize(loader);
  loader.finish();
}

void check_call(Suite& suite, Outcome& outcome, const json& facts, const json& call, const Subject& subject) {
  const Tolerance tolerance = tolerance_of(facts.at("tolerance"));
  const auto load = [&](const json& key) { return to_device(suite.array(kArrays, key), suite.device()); };
  Variables inputs;
  for (const json& input : call.at("inputs")) {
    const bool constant = input.at("grad").is_null();
    inputs.push_back(Variable{load(input.at("key")), constant ? RequiresGrad::no : RequiresGrad::yes});
  }
  const Variables outputs = subject.call(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const json& output = call.at("outputs").at(i);
    const std::string name = output.at("name");
    outcome.compare(name, outputs[i].data(), suite.array(kArrays, output.at("key")), tolerance);
    // A link that returns its parameter has nothing to go back through: the gradient is the parameter's own.
    outputs[i].set_grad(Variable{load(output.at("gy"))});
    outputs[i].backward();
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const json& grad = call.at("inputs").at(i).at("grad");
    if (grad.is_null()) continue;
    const std::string name = fmt::format("gradient of input {}", i);
    outcome.compare(name, inputs[i].grad().data(), suite.array(kArrays, grad), tolerance);
  }
}

void run(Suite& suite, Outcome& outcome, const json& facts) {
  const DeviceScope scope{suite.device()};
  const Subject subject = makers().at(facts.at("link"))(facts.at("args"));
  Link& link = *subject.link;
  check_initial_values(suite, outcome, facts, link);
  load_values(suite, facts, link);
  Reporter reporter;
  reporter.add_observer("main", &link);
  Observation observation;
  const ReporterScope reports{reporter, observation};
  for (const json& call : facts.at("calls")) check_call(suite, outcome, facts, call, subject);
  const Tolerance tolerance = tolerance_of(facts.at("tolerance"));
  for (const auto& [name, key] : facts.at("grads").items())
    outcome.compare("gradient of " + name, link.param(name).grad().data(), suite.array(kArrays, key), tolerance);
  const json reported = facts.value("report", json::object());
  for (const auto& [name, value] : reported.items()) {
    const Reported* found = observation.find(name);
    outcome.expect(found, name + ": not reported");
    if (found) outcome.compare(name, found->value(), value.get<double>(), tolerance);
  }
}

}  // namespace

void add_links(Suite& suite) {
  if (!suite.has("links.json")) return;
  for (const json& facts : suite.json("links.json").at("cases")) {
    Case c{"links", facts.at("link"), facts.at("id"), {}};
    if (makers().contains(facts.at("link"))) c.run = [&suite, &facts](Outcome& outcome) { run(suite, outcome, facts); };
    suite.add(std::move(c));
  }
}

}  // namespace golden
