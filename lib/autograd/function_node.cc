#include <renkei/lib/autograd/function_node.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/device.h>

namespace renkei {

void check_same_device(std::string_view name, std::span<const Variable> inputs) {
  const Variable* first = nullptr;
  for (const Variable& input : inputs) {
    if (!input) continue;
    if (!first) first = &input;
    if (&input.device() != &first->device())
      throw DeviceError{fmt::format("{}: operands are on {} and {}; want one device", name, first->device().name(),
                                    input.device().name())};
  }
}

// Frees long graphs with a loop; the default destructor would recurse once per function.
// A graph belongs to one thread, hence use_count() is exact.
FunctionNode::~FunctionNode() {
  std::vector<std::shared_ptr<VariableNode>> pending;
  const auto take = [&](InputNodes& nodes) {
    for (auto& node : nodes)
      if (node && node->creator) pending.push_back(std::move(node));
    nodes.clear();
  };
  take(inputs_);
  while (!pending.empty()) {
    const auto node = std::move(pending.back());
    pending.pop_back();
    if (node.use_count() == 1 && node->creator.use_count() == 1) take(node->creator->inputs_);
  }
}

bool FunctionNode::joins_graph(std::span<const Variable> inputs) {
  return config().enable_backprop && std::any_of(inputs.begin(), inputs.end(), [](const Variable& v) { return v.requires_grad(); });
}

Arrays FunctionNode::run(std::span<const Variable> inputs) {
  check_same_device(name(), inputs);
  Arrays arrays;
  arrays.reserve(inputs.size());
  for (const Variable& input : inputs) arrays.push_back(input ? input.data() : Array{});
  Arrays results = forward(arrays);
  if (joins_graph(inputs)) connect(inputs, arrays, results);
  return results;
}

void FunctionNode::connect(std::span<const Variable> inputs, const Arrays& arrays, const Arrays& results) {
  for (const Variable& input : inputs) {
    inputs_.push_back(input.requires_grad() ? input.node() : nullptr);
    if (input.requires_grad()) rank_ = std::max(rank_, input.node()->rank + 1);
  }
  retained_.reserve(static_cast<std::size_t>(std::popcount(retain_inputs_) + std::popcount(retain_outputs_)));
  for (std::uint64_t mask = retain_inputs_; mask; mask &= mask - 1) retained_.push_back(arrays[static_cast<std::size_t>(std::countr_zero(mask))]);
  for (std::uint64_t mask = retain_outputs_; mask; mask &= mask - 1) retained_.push_back(results[static_cast<std::size_t>(std::countr_zero(mask))]);
}

Variable FunctionNode::output(const Array& result) {
  Variable variable{result};
  const bool joined = !inputs_.empty();
  if (!joined) return variable;
  if (is_floating(result.dtype()))
    variable.body_->node = std::make_shared<VariableNode>(result.shape(), result.dtype(), variable.body_, shared_from_this(), rank_);
  outputs_.push_back(variable.body_->node);
  return variable;
}

Variables FunctionNode::call(std::span<const Variable> inputs) {
  const Arrays results = run(inputs);
  Variables outputs;
  outputs.reserve(results.size());
  for (const Array& result : results) outputs.push_back(output(result));
  return outputs;
}

Variable FunctionNode::call_for_one(std::span<const Variable> inputs) { return output(run(inputs).front()); }

const Array& FunctionNode::retained(std::uint64_t mask, int i, std::size_t begin) const {
  if (!(mask >> i & 1)) throw StateError{fmt::format("function node: number {} was not retained", i)};
  return retained_[begin + static_cast<std::size_t>(std::popcount(mask & ((std::uint64_t{1} << i) - 1)))];
}

Variable FunctionNode::retained_input(int i) const {
  const Array& data = retained(retain_inputs_, i, 0);
  if (!data) return {};
  return Variable{std::make_shared<VariableBody>(data, inputs_[static_cast<std::size_t>(i)])};
}

Variable FunctionNode::retained_output(int i) {
  const Array& data = retained(retain_outputs_, i, static_cast<std::size_t>(std::popcount(retain_inputs_)));
  auto& slot = outputs_[static_cast<std::size_t>(i)];
  auto node = slot.lock();
  auto body = std::make_shared<VariableBody>(data, node);
  if (!node && config().enable_backprop) {  // the output itself is gone; a new node takes its place
    node = std::make_shared<VariableNode>(data.shape(), data.dtype(), body, shared_from_this(), rank_);
    slot = node;
    body->node = node;
  }
  return Variable{std::move(body)};
}

const Array& GradRequest::home(std::size_t i) const {
  static const Array none;
  return inputs_[i].resident ? inputs_[i].resident->grad_home : none;
}

}  // namespace renkei
