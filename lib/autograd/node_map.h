// NodeMap: a value for each node that one sweep over a graph meets.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace renkei {

/// Open addressing over one block of memory, so that a sweep over a small graph costs one allocation. Entries are
/// never removed.
template <class Value>
class NodeMap {
 public:
  /// The value of `key`, made if it is not there; and whether it was made.
  std::pair<Value*, bool> insert(const void* key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = find_slot(key);
    if (slot.key) return {&slot.value, false};
    slot.key = key;
    ++count_;
    return {&slot.value, true};
  }

  Value* find(const void* key) {
    if (slots_.empty()) return nullptr;
    Slot& slot = find_slot(key);
    return slot.key ? &slot.value : nullptr;
  }
  bool contains(const void* key) const { return const_cast<NodeMap*>(this)->find(key) != nullptr; }

 private:
  struct Slot {
    const void* key = nullptr;
    Value value{};
  };

  Slot& find_slot(const void* key) {
    const std::size_t mask = slots_.size() - 1;
    // Nodes are a few hundred bytes apart; the multiplication spreads that over the high bits.
    std::size_t i = static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(key) * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (slots_[i].key && slots_[i].key != key) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 32 : 2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old) {
      if (!slot.key) continue;
      Slot& target = find_slot(slot.key);
      target.key = slot.key;
      target.value = std::move(slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace renkei
