// KernelTable: which function runs a kernel on a device. A kernel key is a type that names the kernel and its
// signature, so that a wrong call does not compile and a missing kernel names itself:
//
//   struct Fill {
//     static constexpr std::string_view kName = "fill";
//     using Fn = void(const Array& y, double value);
//   };
//   table.set<Fill>(fill);                       // in the constructor of the device
//   device.kernel<Fill>()(y, 0.0);               // in a function
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace renkei {

class Device;

[[noreturn]] void throw_no_kernel(std::string_view kernel, const Device& device);

class KernelTable {
 public:
  template <class Key>
  void set(typename Key::Fn* function) {
    const std::size_t slot = slot_of<Key>();
    if (functions_.size() <= slot) functions_.resize(slot + 1, nullptr);
    functions_[slot] = reinterpret_cast<void (*)()>(function);
  }

  /// The function, or null when the device has none.
  template <class Key>
  typename Key::Fn* find() const {
    const std::size_t slot = slot_of<Key>();
    return slot < functions_.size() ? reinterpret_cast<typename Key::Fn*>(functions_[slot]) : nullptr;
  }

 private:
  static std::size_t next_slot();

  template <class Key>
  static std::size_t slot_of() {
    static const std::size_t slot = next_slot();
    return slot;
  }

  std::vector<void (*)()> functions_;
};

}  // namespace renkei
