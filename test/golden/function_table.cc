#include "golden/function_table.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/connection.h>
#include <renkei/lib/functions/evaluation.h>
#include <renkei/lib/functions/get_item.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/functions/matmul.h>
#include <renkei/lib/functions/noise.h>
#include <renkei/lib/functions/reduction.h>

namespace golden {

using namespace renkei;
namespace F = renkei::functions;
using Json = nlohmann::json;
using Call = FunctionCall;

const Variable& FunctionCall::input(std::string_view name) const {
  static const Variable absent;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? absent : inputs[static_cast<std::size_t>(found - names.begin())];
}

namespace {

Axes axes_of(const Json& axis) {
  if (axis.is_null()) return {};
  return axis.is_array() ? axis.get<Axes>() : Axes{axis.get<int>()};
}

/// One number or several.
std::vector<std::int64_t> list_of(const Json& numbers) {
  using List = std::vector<std::int64_t>;
  return numbers.is_array() ? numbers.get<List>() : List{numbers.get<std::int64_t>()};
}

std::optional<int> optional_axis(const Call& c) {
  const Json axis = c.params.value("axis", Json{});
  return axis.is_null() ? std::optional<int>{} : axis.get<int>();
}

std::optional<std::int64_t> bound(const Json& number) {
  return number.is_null() ? std::optional<std::int64_t>{} : number.get<std::int64_t>();
}

std::vector<Index> indices_of(const Json& slices) {
  std::vector<Index> indices;
  for (const Json& slice : slices) {
    if (slice.is_null()) indices.emplace_back(NewAxis{});
    else if (slice.is_string()) indices.emplace_back(Ellipsis{});
    else if (slice.is_array()) indices.emplace_back(slice.get<std::vector<std::int64_t>>());
    else if (slice.is_object()) indices.emplace_back(Slice{bound(slice["slice"][0]), bound(slice["slice"][1]), bound(slice["slice"][2])});
    else indices.emplace_back(slice.get<std::int64_t>());
  }
  return indices;
}

/// An operator between two arrays, or an array and a constant on either side.
template <class Operator>
GoldenFunction binary(Operator op) {
  return [op](const Call& c) -> Variables {
    if (!c.params.contains("value")) return {op(c.inputs.front(), c.inputs.back())};  // one input: both are the same
    const double value = c.params["value"];
    return {c.params.value("reverse", false) ? op(value, c.inputs.at(0)) : op(c.inputs.at(0), value)};
  };
}

GoldenFunction unary(Variable (*function)(const Variable&)) {
  return [function](const Call& c) { return Variables{function(c.inputs.at(0))}; };
}

template <class Options>
GoldenFunction reduction(Variable (*function)(const Variable&, const Axes&, const Options&)) {
  return [function](const Call& c) {
    return Variables{function(c.inputs.at(0), axes_of(c.params.at("axis")), {.keepdims = c.params.value("keepdims", false)})};
  };
}

Variables add(const Call& c) {
  return c.inputs.size() > 2 ? Variables{F::add(c.inputs)} : binary([](const auto& a, const auto& b) { return a + b; })(c);
}

Variables power(const Call& c) {
  const Variable& x = c.inputs.at(0);
  if (c.params.contains("exponent")) return {F::power(x, c.params["exponent"].get<double>())};
  if (c.params.contains("base")) return {F::power(c.params["base"].get<double>(), x)};
  return {F::power(x, c.inputs.at(1))};
}

Variables broadcast(const Call& c) {
  Shape shape;
  for (const Variable& x : c.inputs) shape = broadcast_shapes("broadcast", shape, x.shape());
  Variables ys;
  for (const Variable& x : c.inputs) ys.push_back(F::broadcast_to(x, shape));
  return ys;
}

Variables matmul(const Call& c) {
  return {F::matmul(c.inputs.at(0), c.inputs.at(1),
                    {.transa = c.params.value("transa", false), .transb = c.params.value("transb", false)})};
}

Variables split_axis(const Call& c) {
  const Json& cut = c.params.at("indices_or_sections");
  const int axis = c.params.at("axis");
  if (cut.is_array()) return F::split_axis(c.inputs.at(0), cut.get<std::vector<std::int64_t>>(), axis);
  return F::split_axis(c.inputs.at(0), cut.get<std::int64_t>(), axis);
}

Variables softmax_cross_entropy(const Call& c) {
  F::SoftmaxCrossEntropyOptions options;
  options.normalize = c.params.at("normalize");
  options.ignore_label = c.params.at("ignore_label");
  if (c.input("class_weight")) options.class_weight = c.input("class_weight").data();
  if (c.params.at("reduce") == "no") options.reduce = F::Reduce::no;
  if (c.params.value("soft_target_loss", "") == "kl-divergence") options.soft_target_loss = F::SoftTargetLoss::kl_divergence;
  return {F::softmax_cross_entropy(c.input("x"), c.input("t"), options)};
}

Variables accuracy(const Call& c) {
  return {F::accuracy(c.input("y"), c.input("t"), {.ignore_label = bound(c.params.at("ignore_label"))})};
}

Variables dropout(const Call& c) {
  return {F::dropout(c.input("x"), c.params.at("ratio"), {.mask = c.input("mask") ? c.input("mask").data() : Array{}})};
}

Variables argmax(const Call& c) { return {F::argmax(c.inputs.at(0), optional_axis(c))}; }
Variables argmin(const Call& c) { return {F::argmin(c.inputs.at(0), optional_axis(c))}; }

}  // namespace

const std::map<std::string, GoldenFunction>& function_table() {
  static const std::map<std::string, GoldenFunction> table{
      {"add", add},
      {"subtract", binary([](const auto& a, const auto& b) { return a - b; })},
      {"multiply", binary([](const auto& a, const auto& b) { return a * b; })},
      {"divide", binary([](const auto& a, const auto& b) { return a / b; })},
      {"negative", unary(F::negative)},
      {"power", power},
      {"exp", unary(F::exp)},
      {"log", unary(F::log)},
      {"sin", unary(F::sin)},
      {"cos", unary(F::cos)},
      {"sqrt", unary(F::sqrt)},
      {"square", unary(F::square)},
      {"absolute", unary(F::absolute)},
      {"sum", reduction(F::sum)},
      {"mean", reduction(F::mean)},
      {"max", reduction(F::max)},
      {"min", reduction(F::min)},
      {"argmax", argmax},
      {"argmin", argmin},
      {"sum_to", [](const Call& c) { return Variables{F::sum_to(c.inputs.at(0), Shape{list_of(c.params.at("shape"))})}; }},
      {"broadcast_to", [](const Call& c) { return Variables{F::broadcast_to(c.inputs.at(0), Shape{list_of(c.params.at("shape"))})}; }},
      {"broadcast", broadcast},
      {"matmul", matmul},
      {"batch_matmul", matmul},
      {"linear", [](const Call& c) { return Variables{F::linear(c.input("x"), c.input("W"), c.input("b"), c.params.value("n_batch_axes", 1))}; }},
      {"relu", unary(F::relu)},
      {"leaky_relu", [](const Call& c) { return Variables{F::leaky_relu(c.inputs.at(0), c.params.at("slope"))}; }},
      {"sigmoid", unary(F::sigmoid)},
      {"tanh", unary(F::tanh)},
      {"softmax", [](const Call& c) { return Variables{F::softmax(c.inputs.at(0), c.params.at("axis"))}; }},
      {"log_softmax", [](const Call& c) { return Variables{F::log_softmax(c.inputs.at(0), c.params.at("axis"))}; }},
      {"softmax_cross_entropy", softmax_cross_entropy},
      {"mean_squared_error", [](const Call& c) { return Variables{F::mean_squared_error(c.inputs.at(0), c.inputs.at(1))}; }},
      {"squared_error", [](const Call& c) { return Variables{F::squared_error(c.inputs.at(0), c.inputs.at(1))}; }},
      {"accuracy", accuracy},
      {"dropout", dropout},
      {"reshape", [](const Call& c) { return Variables{F::reshape(c.inputs.at(0), list_of(c.params.at("shape")))}; }},
      {"flatten", unary(F::flatten)},
      {"expand_dims", [](const Call& c) { return Variables{F::expand_dims(c.inputs.at(0), c.params.at("axis"))}; }},
      {"squeeze", [](const Call& c) { return Variables{F::squeeze(c.inputs.at(0), axes_of(c.params.at("axis")))}; }},
      {"transpose", [](const Call& c) { return Variables{F::transpose(c.inputs.at(0), axes_of(c.params.at("axes")))}; }},
      {"swapaxes", [](const Call& c) { return Variables{F::swapaxes(c.inputs.at(0), c.params.at("axis1"), c.params.at("axis2"))}; }},
      {"moveaxis", [](const Call& c) { return Variables{F::moveaxis(c.inputs.at(0), axes_of(c.params.at("source")), axes_of(c.params.at("destination")))}; }},
      {"rollaxis", [](const Call& c) { return Variables{F::rollaxis(c.inputs.at(0), c.params.at("axis"), c.params.value("start", 0))}; }},
      {"flip", [](const Call& c) { return Variables{F::flip(c.inputs.at(0), c.params.at("axis"))}; }},
      {"fliplr", unary(F::fliplr)},
      {"flipud", unary(F::flipud)},
      {"concat", [](const Call& c) { return Variables{F::concat(c.inputs, c.params.at("axis"))}; }},
      {"stack", [](const Call& c) { return Variables{F::stack(c.inputs, c.params.at("axis"))}; }},
      {"hstack", [](const Call& c) { return Variables{F::hstack(c.inputs)}; }},
      {"vstack", [](const Call& c) { return Variables{F::vstack(c.inputs)}; }},
      {"dstack", [](const Call& c) { return Variables{F::dstack(c.inputs)}; }},
      {"split_axis", split_axis},
      {"separate", [](const Call& c) { return F::separate(c.inputs.at(0), c.params.at("axis")); }},
      {"repeat", [](const Call& c) { return Variables{F::repeat(c.inputs.at(0), list_of(c.params.at("repeats")), optional_axis(c))}; }},
      {"tile", [](const Call& c) { return Variables{F::tile(c.inputs.at(0), list_of(c.params.at("reps")))}; }},
      {"where", [](const Call& c) { return Variables{F::where(c.inputs.at(0), c.inputs.at(1), c.inputs.at(2))}; }},
      {"get_item", [](const Call& c) { return Variables{F::get_item(c.inputs.at(0), indices_of(c.params.at("slices")))}; }},
      {"cast", [](const Call& c) { return Variables{F::cast(c.inputs.at(0), dtype_named(c.params.at("typ").get<std::string>()))}; }},
      {"copy", [](const Call& c) { return Variables{F::copy(c.inputs.at(0), c.inputs.at(0).device())}; }},
      {"identity", [](const Call& c) {
         Variables ys;
         for (const Variable& x : c.inputs) ys.push_back(F::identity(x));
         return ys;
       }},
  };
  return table;
}

const std::map<std::string, GoldenFunction>& graph_table() {
  static const std::map<std::string, GoldenFunction> table{
      {"graph.diamond", [](const Call& c) {
         const Variable &x = c.input("x"), a = F::tanh(x);
         return Variables{a * x + F::exp(-a)};
       }},
      {"graph.two_outputs", [](const Call& c) {
         const Variable a = c.input("x") * c.input("y");
         return Variables{F::sum(a, {0}), F::sigmoid(a)};
       }},
      {"graph.mlp", [](const Call& c) {
         const Variable hidden = F::relu(F::linear(c.input("x"), c.input("W1"), c.input("b1")));
         return Variables{F::linear(hidden, c.input("W2"), c.input("b2"))};
       }},
      {"graph.shared_weight", [](const Call& c) {
         Variable x = c.input("x");
         for (int i = 0; i < 3; ++i) x = F::tanh(F::linear(x, c.input("W")));
         return Variables{x};
       }},
      {"graph.slices", [](const Call& c) {
         const Variable& x = c.input("x");
         return Variables{F::concat({F::get_item(x, {Slice{}, Slice{1, {}}}), F::square(F::get_item(x, {Slice{}, Slice{{}, 1}}))}, 1)};
       }},
      {"graph.gradient_penalty", [](const Call& c) {
         const Variable &x = c.input("x"), h = F::tanh(F::linear(x, c.input("W"))), s = F::sum(h * h);
         const Variable gx = grad({s}, {x}, {.enable_double_backprop = true})[0];
         return Variables{F::sum(F::square(gx)) + s};
       }},
      {"graph.cut", [](const Call& c) {
         const Variable &x = c.input("x"), a = F::exp(x);
         return Variables{a * x + a.detach() * F::sin(x)};
       }},
  };
  return table;
}

}  // namespace golden
