// Reverse-mode differentiation: functions are visited from the highest rank down, so that every gradient is complete
// when it is used. A loop over a heap, not recursion: a graph may be as deep as memory allows.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <renkei/lib/autograd/accumulate.h>
#include <renkei/lib/autograd/config.h>
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/autograd/node_map.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {

using FunctionSet = std::unordered_set<const FunctionNode*>;

/// One sweep over a graph. `backward` runs it over everything behind a variable and stores gradients in the leaves;
/// `grad` runs it over the paths to given targets and takes the gradients out.
class BackwardPass {
 public:
  BackwardPass(bool enable_double_backprop, bool retain_grad)
      : double_backprop_{enable_double_backprop}, retain_grad_{retain_grad} {}

  /// Limits the pass to `functions` and collects the gradients of `targets` instead of storing any.
  void restrict_to(FunctionSet functions, const Variables& targets) {
    functions_ = std::move(functions);
    for (const Variable& target : targets)
      if (target.requires_grad()) targets_.emplace(target.node().get(), Variable{});
    restricted_ = true;
  }

  void seed(const Variable& output, const Variable& gradient) { accumulate(output.node(), gradient); }

  void run() {
    const ModeScope graph_of_gradients{&Config::enable_backprop, double_backprop_};
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const std::shared_ptr<FunctionNode> function = std::move(queue_.back().function);
      queue_.pop_back();
      visit(*function);
    }
    for (const auto& node : leaves_) finish(*node, entries_.find(node.get())->gradient);
  }

  Variable collected(const Variable& target) const {
    const auto found = target.requires_grad() ? targets_.find(target.node().get()) : targets_.end();
    return found == targets_.end() ? Variable{} : found->second;
  }

 private:
  struct Entry {
    Variable gradient;
    bool owned = false;  // made by this pass, so it may be added to in place
  };
  struct Pending {
    int rank;
    std::size_t order;
    std::shared_ptr<FunctionNode> function;
    bool operator<(const Pending& other) const {
      return rank != other.rank ? rank < other.rank : order > other.order;
    }
  };

  void visit(FunctionNode& function) {
    Variables grad_outputs;
    grad_outputs.reserve(function.outputs().size());
    bool any = false;
    for (const auto& weak : function.outputs()) {
      grad_outputs.push_back(take(weak.lock()));
      any = any || grad_outputs.back();
    }
    if (!any) return;

    const auto& inputs = function.inputs();
    GradRequest::Inputs wanted;
    bool useful = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool needed = inputs[i] && is_useful(*inputs[i]);
      const bool repeated = std::find(inputs.begin(), inputs.begin() + i, inputs[i]) != inputs.begin() + i;
      wanted.push_back({needed, needed && !repeated ? resident(*inputs[i]) : nullptr});
      useful = useful || needed;
    }
    if (!useful) return;
    const GradRequest request{std::move(wanted)};
    const Variables grad_inputs = differentiate(function, grad_outputs, request);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!request.needs(i) || !grad_inputs[i]) continue;
      check_fits(function, grad_inputs[i], *inputs[i]);
      accumulate(inputs[i], grad_inputs[i]);
    }
  }

  static Variables differentiate(FunctionNode& function, const Variables& grad_outputs, const GradRequest& request) {
    try {
      Variables grad_inputs = function.backward(grad_outputs, request);
      if (grad_inputs.size() != function.inputs().size())
        throw ValueError{"number of gradients", grad_inputs.size(),
                         fmt::format("one for each of the {} inputs", function.inputs().size())};
      return grad_inputs;
    } catch (Error& error) {
      error.prepend(fmt::format("gradient of {}", function.name()));
      throw;
    }
  }

  static void check_fits(const FunctionNode& function, const Variable& gradient, const VariableNode& input) {
    if (gradient.shape() != input.shape)
      throw ShapeError{fmt::format("gradient of {}", function.name()), {{"gradient", gradient.shape()}, {"input", input.shape}}, "equal shapes"};
    if (gradient.dtype() != input.dtype)
      throw DtypeError{fmt::format("gradient of {}", function.name()), {{"gradient", gradient.dtype()}, {"input", input.dtype}}, "equal dtypes"};
  }

  bool is_useful(const VariableNode& node) const {
    if (!restricted_) return true;
    return targets_.contains(&node) || (node.creator && functions_.contains(node.creator.get()));
  }

  /// The leaf whose gradient may be written into its home: nothing has been put there yet, and plain numbers are wanted.
  std::shared_ptr<VariableBody> resident(const VariableNode& node) const {
    if (restricted_ || double_backprop_ || node.creator || entries_.contains(&node)) return nullptr;
    auto body = node.body.lock();
    return body && !body->grad && body->grad_home ? body : nullptr;
  }

  void accumulate(const std::shared_ptr<VariableNode>& node, const Variable& gradient) {
    const auto [entry, fresh] = entries_.insert(node.get());
    if (fresh) {
      const auto body = node->creator ? nullptr : node->body.lock();
      *entry = {gradient, body && gradient.data().is(body->grad_home)};
      if (!node->creator) leaves_.push_back(node);
      else schedule(node->creator);
    } else if (entry->owned && !double_backprop_) {
      add_in_place(entry->gradient.data(), gradient.data());
    } else {
      *entry = {add_gradients(entry->gradient, gradient), true};
    }
  }

  void schedule(const std::shared_ptr<FunctionNode>& function) {
    // With one output, its first gradient is the only reason to come here.
    if (function->outputs().size() > 1 && !scheduled_.insert(function.get()).second) return;
    queue_.push_back({function->rank(), order_++, function});
    std::push_heap(queue_.begin(), queue_.end());
  }

  /// The complete gradient of an intermediate variable, which leaves the table.
  Variable take(const std::shared_ptr<VariableNode>& node) {
    Entry* entry = node ? entries_.find(node.get()) : nullptr;
    if (!entry) return {};
    Variable gradient = std::move(entry->gradient);
    if (restricted_)
      if (const auto target = targets_.find(node.get()); target != targets_.end()) target->second = gradient;
    if (retain_grad_)
      if (const auto body = node->body.lock()) body->grad = gradient;
    return gradient;
  }

  void finish(const VariableNode& leaf, const Variable& gradient) {
    if (restricted_) {
      if (const auto target = targets_.find(&leaf); target != targets_.end()) target->second = gradient;
      return;
    }
    const auto body = leaf.body.lock();
    if (!body) return;
    if (double_backprop_) {
      body->grad = body->grad ? add_gradients(body->grad, gradient) : gradient;
    } else if (!body->grad && body->grad_home) {
      if (gradient.data().is(body->grad_home)) {
        body->grad = gradient;
      } else {
        copy_into(body->grad_home, gradient.data());
        body->grad = Variable{body->grad_home};
      }
    } else if (body->grad && body->grad.data().is(body->grad_home)) {
      add_in_place(body->grad_home, gradient.data());
    } else {
      body->grad = body->grad ? add_gradients(body->grad, gradient) : gradient;
    }
  }

  bool double_backprop_, retain_grad_, restricted_ = false;
  FunctionSet functions_, scheduled_;
  std::unordered_map<const VariableNode*, Variable> targets_;
  NodeMap<Entry> entries_;
  std::vector<std::shared_ptr<VariableNode>> leaves_;
  std::vector<Pending> queue_;  // a heap
  std::size_t order_ = 0;
};

namespace {

/// Functions behind `outputs` through which a gradient reaches one of `inputs`.
FunctionSet functions_between(const Variables& outputs, const Variables& inputs) {
  std::unordered_set<const VariableNode*> targets;
  for (const Variable& input : inputs)
    if (input.requires_grad()) targets.insert(input.node().get());

  FunctionSet seen;
  std::vector<const FunctionNode*> functions;
  const auto reach = [&](const VariableNode* node) {
    if (node && node->creator && seen.insert(node->creator.get()).second) functions.push_back(node->creator.get());
  };
  for (const Variable& output : outputs) reach(output.node().get());
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (const auto& input : functions[i]->inputs()) reach(input.get());

  std::sort(functions.begin(), functions.end(),
            [](const FunctionNode* a, const FunctionNode* b) { return a->rank() < b->rank(); });
  FunctionSet useful;
  for (const FunctionNode* function : functions)
    for (const auto& input : function->inputs())
      if (input && (targets.contains(input.get()) || (input->creator && useful.contains(input->creator.get()))))
        useful.insert(function);
  return useful;
}

}  // namespace

void Variable::backward(const BackwardOptions& options) const {
  if (!requires_grad()) return;
  Variable start = grad();
  if (!start) {
    if (size() != 1) throw ShapeError{"backward", {{"output", shape()}}, "a single element, or a gradient set beforehand"};
    start = Variable{full_like(data(), options.loss_scale)};
  }
  if (!node()->creator) return;
  BackwardPass pass{options.enable_double_backprop, options.retain_grad};
  pass.seed(*this, start);
  pass.run();
}

Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& options) {
  if (!options.grad_outputs.empty() && options.grad_outputs.size() != outputs.size())
    throw ValueError{"grad: number of grad_outputs", options.grad_outputs.size(), "one for each output, or none"};
  BackwardPass pass{options.enable_double_backprop, false};
  pass.restrict_to(functions_between(outputs, inputs), inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    const bool given = !options.grad_outputs.empty() && options.grad_outputs[i];
    pass.seed(outputs[i], given ? options.grad_outputs[i] : Variable{full_like(outputs[i].data(), 1.0)});
  }
  pass.run();
  Variables gradients;
  for (const Variable& input : inputs) gradients.push_back(pass.collected(input));
  return gradients;
}

}  // namespace renkei
