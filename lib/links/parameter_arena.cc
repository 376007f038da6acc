#include <renkei/lib/links/parameter_arena.h>

#include <algorithm>
#include <set>

#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes

Array view(const Array& flat, std::int64_t offset, const Shape& shape) {
  return flat.slice(offset, offset + shape.size()).reshape(shape);
}

/// Makes the parameter a view of the buffers, without changing its values.
void move_in(ParameterArena::Slot& slot, const ParameterArena::Block& block) {
  VariableBody& body = *slot.body;
  slot.data = view(block.data, slot.offset, body.data.shape());
  slot.grad = view(block.grad, slot.offset, body.data.shape());
  copy_into(slot.data, body.data);
  body.data = slot.data;
  body.grad_home = slot.grad;
  if (!body.grad) return;
  copy_into(slot.grad, body.grad.data());
  body.grad = Variable{slot.grad};
}

}  // namespace

ParameterArena::ParameterArena(const std::vector<std::shared_ptr<VariableBody>>& parameters) {
  std::set<const VariableBody*> seen;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& body = parameters[i];
    if (!body || !seen.insert(body.get()).second) continue;
    if (!body->data) {
      waiting_.push_back(body);
      continue;
    }
    const Array& data = body->data;
    std::size_t b = 0;
    while (b < blocks_.size() && (blocks_[b].slots[0].body->data.dtype() != data.dtype() ||
                                  &blocks_[b].slots[0].body->data.device() != &data.device()))
      ++b;
    if (b == blocks_.size()) {
      blocks_.emplace_back();
      sizes.push_back(0);
    }
    blocks_[b].slots.push_back({i, body, sizes[b], {}, {}});
    const std::int64_t step = kAlignment / size_of(data.dtype());
    sizes[b] += (data.size() + step - 1) / step * step;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const Array first = block.slots[0].body->data;
    block.data = zeros({sizes[b]}, first.dtype(), first.device());
    block.grad = zeros({sizes[b]}, first.dtype(), first.device());
    for (Slot& slot : block.slots) move_in(slot, block);
  }
}

bool ParameterArena::is_current() const {
  for (const auto& body : waiting_)
    if (body->data) return false;
  for (const Block& block : blocks_)
    for (const Slot& slot : block.slots)
      if (!slot.body->data.is(slot.data)) return false;
  return true;
}

void ParameterArena::collect_gradients() const {
  for (const Block& block : blocks_)
    for (const Slot& slot : block.slots) {
      VariableBody& body = *slot.body;
      if (body.grad && body.grad.data().is(slot.grad)) continue;
      if (body.grad) copy_into(slot.grad, body.grad.data());
      else fill(slot.grad, 0.0);
      body.grad = Variable{slot.grad};
    }
}

}  // namespace renkei
