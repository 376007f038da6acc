// Variable: an array that remembers how it was computed. A handle: copies are the same variable.
//
// Who owns what (arrows point only towards the past, so there are no cycles):
//   Variable -> VariableBody (data, gradient) -> VariableNode (place in the graph)
//   VariableNode -> FunctionNode that computed it -> VariableNodes of its inputs
//   FunctionNode -> outputs: weak;  VariableNode -> VariableBody: weak
// A graph belongs to the thread that builds it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <renkei/lib/core/array.h>

namespace renkei {

class FunctionNode;
class Variable;
struct VariableBody;
struct VariableNode;

using Variables = std::vector<Variable>;

enum class RequiresGrad : bool { no, yes };

struct BackwardOptions {
  bool retain_grad = false;             ///< keep the gradients of intermediate variables too
  bool enable_double_backprop = false;  ///< build the graph of the gradients, so that they can be differentiated
  double loss_scale = 1.0;              ///< gradient put into the output when it has none
};

class Variable {
 public:
  Variable() = default;        ///< no variable; stands for "absent": no bias, no gradient
  Variable(const Array& data);  ///< a constant: no gradient flows into it
  Variable(const Array& data, RequiresGrad requires_grad);

  explicit operator bool() const { return body_ != nullptr; }
  const Array& data() const;
  const Shape& shape() const { return data().shape(); }
  Dtype dtype() const { return data().dtype(); }
  Device& device() const { return data().device(); }
  int ndim() const { return data().ndim(); }
  std::int64_t size() const { return data().size(); }
  bool requires_grad() const;

  /// Gradient left by backward; absent before, and for intermediates unless retained.
  const Variable& grad() const;
  /// Replaces the gradient; throws ShapeError or DtypeError if it does not fit the data.
  void set_grad(const Variable& grad) const;
  void clear_grad() const;

  /// Computes the gradient of this variable with respect to every leaf it depends on and adds it to theirs.
  /// Starts from its own gradient, or from `loss_scale` if it has none and is a single element (else ShapeError).
  void backward(const BackwardOptions& options = {}) const;

  /// A constant with the same data: gradients stop here.
  Variable detach() const { return Variable{data()}; }
  /// Forgets how this variable was computed, and with it the graph behind it.
  void unchain() const;

  const std::shared_ptr<VariableNode>& node() const;  ///< null for constants
  std::shared_ptr<FunctionNode> creator() const;      ///< function that computed it; null for leaves

  const void* id() const { return body_.get(); }  ///< equal for handles of one variable

 protected:
  friend class FunctionNode;
  friend class BackwardPass;
  friend struct VariableBody;
  [[noreturn]] void throw_absent() const;
  explicit Variable(std::shared_ptr<VariableBody> body) : body_{std::move(body)} {}

  std::shared_ptr<VariableBody> body_;
};

/// Data and gradient of a variable.
struct VariableBody {
  Array data;
  std::shared_ptr<VariableNode> node;  // null for constants
  Variable grad;
  Array grad_home;  // where the gradient belongs (a slice of a parameter arena); none for most variables
};

/// A place in the graph. Keeps no data: what backward needs is retained by the function that asked for it.
struct VariableNode {
  Shape shape;
  Dtype dtype;
  std::weak_ptr<VariableBody> body;
  std::shared_ptr<FunctionNode> creator;  // null for leaves
  int rank = 0;                           // 0 for leaves, else one more than the creator's highest input
};

inline const Array& Variable::data() const {
  if (!body_ || !body_->data) throw_absent();
  return body_->data;
}
inline bool Variable::requires_grad() const { return body_ && body_->node; }
inline const std::shared_ptr<VariableNode>& Variable::node() const { return body_->node; }

/// Gradients of sum(outputs * grad_outputs) with respect to `inputs`, touching only the paths between them and
/// leaving every stored gradient alone. An absent grad_output counts as ones. The result of an input that no
/// output depends on is absent.
struct GradOptions {
  Variables grad_outputs = {};
  bool enable_double_backprop = false;
};
Variables grad(const Variables& outputs, const Variables& inputs, const GradOptions& options = {});

}  // namespace renkei
