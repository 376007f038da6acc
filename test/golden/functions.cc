// Functions: outputs, gradients by backward, and second-order products through the graph of gradients.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/reduction.h>

#include "golden/function_table.h"
#include "golden/golden.h"

namespace golden {

using namespace renkei;
using Json = nlohmann::json;

namespace {

constexpr const char* kArrays = "functions.npz";

class Check {
 public:
  Check(Suite& suite, const Json& facts, const GoldenFunction& function, Outcome& outcome)
      : suite_{suite}, facts_{facts}, function_{function}, outcome_{outcome} {
    for (const Json& output : facts_["outputs"]) gys_.push_back(load(output["gy"], RequiresGrad::no));
  }

  void run() {
    const bool test_mode = facts_.value("mode", "") == "test";
    const ModeScope mode{&Config::train, !test_mode};
    first_order();
    if (!facts_["second_order"].is_null()) second_order();
  }

 private:
  /// The array behind a key; absent for null.
  Variable load(const Json& key, RequiresGrad requires_grad) const {
    if (key.is_null()) return {};
    return Variable{to_device(suite_.array(kArrays, key), suite_.device()), requires_grad};
  }

  Variables load_inputs() const {
    Variables inputs;
    for (const Json& input : facts_["inputs"])
      inputs.push_back(load(input["key"], input["differentiable"] ? RequiresGrad::yes : RequiresGrad::no));
    return inputs;
  }

  Variables call(const Variables& inputs) const {
    std::vector<std::string> names;
    for (const Json& input : facts_["inputs"]) names.push_back(input["name"]);
    return function_({facts_["params"], inputs, names});
  }

  void compare(const std::string& what, const Variable& got, const Json& key, const Variable& like, Tolerance tolerance) {
    const Array want = key.is_null() ? zeros_like(like.data()) : suite_.array(kArrays, key);
    outcome_.compare(what, got ? got.data() : zeros_like(like.data()), want, tolerance);
  }

  void first_order() {
    const Tolerance tolerance = tolerance_of(facts_["tolerance"]);
    const Variables inputs = load_inputs(), outputs = call(inputs);
    const Json& wanted = facts_["outputs"];
    outcome_.expect(outputs.size() == wanted.size(), fmt::format("got {} outputs, want {}", outputs.size(), wanted.size()));
    Variable total;
    for (std::size_t i = 0; i < wanted.size() && i < outputs.size(); ++i) {
      outcome_.compare(fmt::format("y{}", i), outputs[i].data(), suite_.array(kArrays, wanted[i]["key"]), tolerance);
      outcome_.equal(fmt::format("dtype of y{}", i), name_of(outputs[i].dtype()), wanted[i]["dtype"].get<std::string>());
      if (!gys_[i]) continue;
      const Variable term = functions::sum(outputs[i] * gys_[i]);
      total = total ? total + term : term;
    }
    if (total) total.backward();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].requires_grad() && total)
        compare(fmt::format("gx{}", i), inputs[i].grad(), facts_["inputs"][i]["grad"], inputs[i], tolerance);
  }

  void second_order() {
    const Json& facts = facts_["second_order"];
    const Tolerance tolerance = tolerance_of(facts_["tolerance2"]);
    const Variables inputs = load_inputs(), outputs = call(inputs);
    Variables ys, gys;  // outputs that take a gradient
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!gys_[i]) continue;
      ys.push_back(outputs[i]);
      gys.emplace_back(gys_[i].data(), RequiresGrad::yes);
    }
    const Variables gxs = grad(ys, inputs, {.grad_outputs = gys, .enable_double_backprop = true});
    Variable s;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto key = facts["ggx"].find(fmt::format("x{}", i));
      if (key == facts["ggx"].end() || !gxs[i]) continue;
      compare(fmt::format("gx{} of double backprop", i), gxs[i], facts_["inputs"][i]["grad"], inputs[i], tolerance_of(facts_["tolerance"]));
      const Variable term = functions::sum(gxs[i] * load(*key, RequiresGrad::no));
      s = s ? s + term : term;
    }
    if (s && s.requires_grad()) s.backward();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (const auto key = facts["d_x"].find(fmt::format("x{}", i)); key != facts["d_x"].end())
        compare(fmt::format("d_x{}", i), inputs[i].grad(), *key, inputs[i], tolerance);
    for (std::size_t i = 0, slot = 0; i < outputs.size(); ++i) {
      if (!gys_[i]) continue;
      const Variable& gy = gys[slot++];
      if (const auto key = facts["d_gy"].find(fmt::format("y{}", i)); key != facts["d_gy"].end())
        compare(fmt::format("d_gy{}", i), gy.grad(), *key, gy, tolerance);
    }
  }

  Suite& suite_;
  const Json& facts_;
  const GoldenFunction& function_;
  Outcome& outcome_;
  Variables gys_;
};

const GoldenFunction* find(const Json& facts) {
  const auto& table = facts["group"] == "graph" ? graph_table() : function_table();
  const auto found = table.find(facts[facts["group"] == "graph" ? "id" : "function"]);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

void add_functions(Suite& suite) {
  if (!suite.has("functions.json")) return;
  for (const Json& facts : suite.json("functions.json")["cases"]) {
    Case c{"functions", facts["function"], facts["id"], {}};
    if (const GoldenFunction* function = find(facts))
      c.run = [&suite, &facts, function](Outcome& outcome) { Check{suite, facts, *function, outcome}.run(); };
    suite.add(std::move(c));
  }
}

}  // namespace golden
