// SmallVector: a list that keeps its first N elements in itself. For the many short lists of the graph, where a heap
// block for each would cost more than the arithmetic of a small network.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace renkei {

/// Grows only; beyond N elements all of them live in a std::vector.
template <class T, std::size_t N>
class SmallVector {
 public:
  std::size_t size() const { return rest_.empty() ? size_ : rest_.size(); }
  bool empty() const { return size() == 0; }
  T* begin() { return rest_.empty() ? first_.data() : rest_.data(); }
  T* end() { return begin() + size(); }
  const T* begin() const { return rest_.empty() ? first_.data() : rest_.data(); }
  const T* end() const { return begin() + size(); }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  void push_back(T value) {
    if (rest_.empty() && size_ < N) {
      first_[size_++] = std::move(value);
      return;
    }
    if (rest_.empty()) rest_.assign(std::make_move_iterator(first_.begin()), std::make_move_iterator(first_.end()));
    rest_.push_back(std::move(value));
  }

  void clear() {
    for (std::size_t i = 0; i < size_; ++i) first_[i] = T{};
    size_ = 0;
    rest_.clear();
  }

 private:
  std::array<T, N> first_{};
  std::size_t size_ = 0;
  std::vector<T> rest_;
};

}  // namespace renkei
