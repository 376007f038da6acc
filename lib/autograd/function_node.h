// FunctionNode: a differentiable function and, once applied, its place in the graph.
//
// A new function derives from it, computes arrays in `forward` and writes its gradient with Variables in `backward`,
// so that gradients can be differentiated again:
//
//   class Square final : public FunctionNode {
//    public:
//     std::string_view name() const override { return "square"; }
//     Arrays forward(const Arrays& x) override { retain_inputs({0}); ... return {y}; }
//     Variables backward(const Variables& gy, const GradRequest&) override {
//       return {2.0 * retained_input(0) * gy[0]};
//     }
//   };
//   Variable square(const Variable& x) { return apply<Square>({x}); }
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/core/small_vector.h>

namespace renkei {

/// What backward is asked for.
class GradRequest {
 public:
  struct Input {
    bool needed = false;
    std::shared_ptr<VariableBody> resident = nullptr;  // whose gradient may be written into its home
  };
  using Inputs = SmallVector<Input, 3>;
  explicit GradRequest(Inputs inputs) : inputs_{std::move(inputs)} {}

  /// Whether the gradient of input i will be used; one that is not may be left absent.
  bool needs(std::size_t i) const { return inputs_[i].needed; }

  /// Where the gradient of input i ends up if it may be written there directly, else no array. Returning a
  /// variable that wraps it saves a copy; returning another variable is always right too.
  const Array& home(std::size_t i) const;

 private:
  Inputs inputs_;
};

class FunctionNode : public std::enable_shared_from_this<FunctionNode> {
 public:
  using InputNodes = SmallVector<std::shared_ptr<VariableNode>, 3>;
  using OutputNodes = SmallVector<std::weak_ptr<VariableNode>, 1>;

  FunctionNode() = default;
  virtual ~FunctionNode();
  FunctionNode(const FunctionNode&) = delete;
  FunctionNode& operator=(const FunctionNode&) = delete;

  virtual std::string_view name() const = 0;

  /// Values of the outputs. Checks shapes and dtypes; all inputs are on one device.
  virtual Arrays forward(const Arrays& inputs) = 0;

  /// Gradients of the inputs, one each, absent where none flows. A gradient of an output that did not take part
  /// is absent in `grad_outputs`.
  virtual Variables backward(const Variables& grad_outputs, const GradRequest& request) = 0;

  /// Runs forward and, where a gradient may be asked for later, joins the graph. Once per node.
  Variables call(std::span<const Variable> inputs);
  Variable call_for_one(std::span<const Variable> inputs);  ///< the same; gives the first output

  /// Whether a function of these inputs would join the graph now.
  static bool joins_graph(std::span<const Variable> inputs);

  int rank() const { return rank_; }
  const InputNodes& inputs() const { return inputs_; }     ///< null: constant
  const OutputNodes& outputs() const { return outputs_; }

 protected:
  /// In forward: keep these arrays, which are among the first 64, alive until backward.
  void retain_inputs(std::initializer_list<int> indices) { retain_inputs_ = mask_of(indices); }
  void retain_outputs(std::initializer_list<int> indices) { retain_outputs_ = mask_of(indices); }

  /// In backward: what was retained, in its place in the graph.
  Variable retained_input(int i) const;
  Variable retained_output(int i);

 private:
  static std::uint64_t mask_of(std::initializer_list<int> indices) {
    std::uint64_t mask = 0;
    for (const int i : indices) mask |= std::uint64_t{1} << i;
    return mask;
  }
  Arrays run(std::span<const Variable> inputs);
  void connect(std::span<const Variable> inputs, const Arrays& arrays, const Arrays& results);
  Variable output(const Array& result);
  const Array& retained(std::uint64_t mask, int i, std::size_t begin) const;

  InputNodes inputs_;
  OutputNodes outputs_;
  std::uint64_t retain_inputs_ = 0, retain_outputs_ = 0;  // bit i: array i
  std::vector<Array> retained_;                           // inputs, then outputs
  int rank_ = 0;
};

/// Throws DeviceError naming the devices unless all inputs are on one; absent ones are left out.
void check_same_device(std::string_view name, std::span<const Variable> inputs);
inline void check_same_device(std::string_view name, std::initializer_list<Variable> inputs) {
  check_same_device(name, std::span{inputs.begin(), inputs.size()});
}

/// Applies a new function node made from `options`. One that joins no graph lives only as long as the call.
template <class Function, class... Options>
Variables apply_all(std::span<const Variable> inputs, Options&&... options) {
  if (FunctionNode::joins_graph(inputs)) return std::make_shared<Function>(std::forward<Options>(options)...)->call(inputs);
  Function function(std::forward<Options>(options)...);
  return function.call(inputs);
}
template <class Function, class... Options>
Variables apply_all(std::initializer_list<Variable> inputs, Options&&... options) {
  return apply_all<Function>(std::span{inputs.begin(), inputs.size()}, std::forward<Options>(options)...);
}

/// The same for functions with one output.
template <class Function, class... Options>
Variable apply(std::span<const Variable> inputs, Options&&... options) {
  if (FunctionNode::joins_graph(inputs)) return std::make_shared<Function>(std::forward<Options>(options)...)->call_for_one(inputs);
  Function function(std::forward<Options>(options)...);
  return function.call_for_one(inputs);
}
template <class Function, class... Options>
Variable apply(std::initializer_list<Variable> inputs, Options&&... options) {
  return apply<Function>(std::span{inputs.begin(), inputs.size()}, std::forward<Options>(options)...);
}

}  // namespace renkei
