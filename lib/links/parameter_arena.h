// ParameterArena: all parameters of a model in one flat buffer per dtype and device, their gradients in another. One
// kernel call then updates the model, one copy saves or sends it. A parameter's data becomes a view of the buffer, and
// backward writes its gradient straight into the other (VariableBody::grad_home).
#pragma once

#include <memory>
#include <vector>

#include <renkei/lib/links/parameter.h>

namespace renkei {

class ParameterArena {
 public:
  struct Slot {
    std::size_t index;  // of the parameter in the list the arena was made from
    std::shared_ptr<VariableBody> body;
    std::int64_t offset;  // elements from the start of the buffer; a multiple of 64 bytes
    Array data, grad;     // views, in the shape of the parameter
  };

  /// The parameters of one dtype on one device. Gaps between them hold zeros at first.
  struct Block {
    Array data, grad;  // flat
    std::vector<Slot> slots;
  };

  ParameterArena() = default;
  /// Moves the initialised ones of `parameters`, gradients included; one that is listed twice takes one slot.
  explicit ParameterArena(const std::vector<std::shared_ptr<VariableBody>>& parameters);

  /// Whether every parameter still is its view, and none that had no shape has got one.
  bool is_current() const;

  /// Brings every gradient home: missing ones become zeros, those put elsewhere are copied.
  void collect_gradients() const;

  std::vector<Block>& blocks() { return blocks_; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
  std::vector<std::shared_ptr<VariableBody>> waiting_;  // without a shape
};

}  // namespace renkei
