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

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <renkei/lib/autograd/variable.h>

namespace renkei {

/// What backward is asked for.
class GradRequest {
 public:
  struct Input {
    bool needed = false;
    Array home;
  };
  explicit GradRequest(std::vector<Input> inputs) : inputs_{std::move(inputs)} {}

  /// Whether the gradient of input i will be used; one that is not may be left absent.
  bool needs(std::size_t i) const { return inputs_[i].needed; }

  /// Where the gradient of input i ends up if it may be written there directly, else no array. Returning a
  /// variable that wraps it saves a copy; returning another variable is always right too.
  const Array& home(std::size_t i) const { return inputs_[i].home; }

 private:
  std::vector<Input> inputs_;
};

class FunctionNode : public std::enable_shared_from_this<FunctionNode> {
 public:
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
  Variables call(const Variables& inputs);

  int rank() const { return rank_; }
  const std::vector<std::shared_ptr<VariableNode>>& inputs() const { return inputs_; }  ///< null: constant
  const std::vector<std::weak_ptr<VariableNode>>& outputs() const { return outputs_; }

 protected:
  /// In forward: keep these arrays alive until backward.
  void retain_inputs(std::initializer_list<int> indices) { retain_inputs_ = indices; }
  void retain_outputs(std::initializer_list<int> indices) { retain_outputs_ = indices; }

  /// In backward: what was retained, in its place in the graph.
  Variable retained_input(int i) const;
  Variable retained_output(int i);

 private:
  struct Retained {
    int index;
    Array array;
  };
  static const Array& find(const std::vector<Retained>& retained, int index);

  std::vector<std::shared_ptr<VariableNode>> inputs_;
  std::vector<std::weak_ptr<VariableNode>> outputs_;
  std::vector<int> retain_inputs_, retain_outputs_;
  std::vector<Retained> retained_inputs_, retained_outputs_;
  int rank_ = 0;
};

/// Throws DeviceError naming the devices unless all inputs are on one; absent ones are left out.
void check_same_device(std::string_view name, std::span<const Variable> inputs);
inline void check_same_device(std::string_view name, std::initializer_list<Variable> inputs) {
  check_same_device(name, std::span{inputs.begin(), inputs.size()});
}

/// Applies a new function node made from `options`.
template <class Function, class... Options>
Variables apply_all(const Variables& inputs, Options&&... options) {
  return std::make_shared<Function>(std::forward<Options>(options)...)->call(inputs);
}

/// The same for functions with one output.
template <class Function, class... Options>
Variable apply(const Variables& inputs, Options&&... options) {
  return apply_all<Function>(inputs, std::forward<Options>(options)...)[0];
}

}  // namespace renkei
