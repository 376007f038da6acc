#include <renkei/lib/autograd/function_node.h>

#include <algorithm>

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
  auto pending = std::move(inputs_);
  while (!pending.empty()) {
    const auto node = std::move(pending.back());
    pending.pop_back();
    const bool last_owner = node && node.use_count() == 1 && node->creator && node->creator.use_count() == 1;
    if (!last_owner) continue;
    auto& behind = node->creator->inputs_;
    std::move(behind.begin(), behind.end(), std::back_inserter(pending));
    behind.clear();
  }
}

Variables FunctionNode::call(const Variables& inputs) {
  check_same_device(name(), inputs);
  Arrays arrays;
  arrays.reserve(inputs.size());
  for (const Variable& input : inputs) arrays.push_back(input ? input.data() : Array{});
  const Arrays results = forward(arrays);

  Variables outputs;
  outputs.reserve(results.size());
  const bool joins = config().enable_backprop &&
                     std::any_of(inputs.begin(), inputs.end(), [](const Variable& v) { return v.requires_grad(); });
  if (!joins) {
    for (const Array& result : results) outputs.emplace_back(result);
    return outputs;
  }

  inputs_.reserve(inputs.size());
  for (const Variable& input : inputs) {
    inputs_.push_back(input.requires_grad() ? input.node() : nullptr);
    if (inputs_.back()) rank_ = std::max(rank_, inputs_.back()->rank + 1);
  }
  for (const int i : retain_inputs_) retained_inputs_.push_back({i, arrays[static_cast<std::size_t>(i)]});
  for (const int i : retain_outputs_) retained_outputs_.push_back({i, results[static_cast<std::size_t>(i)]});
  for (const Array& result : results) {
    Variable output{result};
    if (is_floating(result.dtype())) {
      output.body_->node = std::make_shared<VariableNode>(
          VariableNode{result.shape(), result.dtype(), output.body_, shared_from_this(), rank_});
    }
    outputs_.push_back(output.body_->node);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

const Array& FunctionNode::find(const std::vector<Retained>& retained, int index) {
  const auto found = std::find_if(retained.begin(), retained.end(), [&](const Retained& r) { return r.index == index; });
  if (found == retained.end()) throw StateError{fmt::format("function node: number {} was not retained", index)};
  return found->array;
}

Variable FunctionNode::retained_input(int i) const {
  const Array& data = find(retained_inputs_, i);
  if (!data) return {};
  return Variable{std::make_shared<VariableBody>(VariableBody{data, inputs_[static_cast<std::size_t>(i)], {}, {}})};
}

Variable FunctionNode::retained_output(int i) {
  const Array& data = find(retained_outputs_, i);
  auto& slot = outputs_[static_cast<std::size_t>(i)];
  auto node = slot.lock();
  auto body = std::make_shared<VariableBody>(VariableBody{data, node, {}, {}});
  if (!node && config().enable_backprop) {  // the output itself is gone; a new node takes its place
    node = std::make_shared<VariableNode>(VariableNode{data.shape(), data.dtype(), body, shared_from_this(), rank_});
    slot = node;
    body->node = node;
  }
  return Variable{std::move(body)};
}

}  // namespace renkei
