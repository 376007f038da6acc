// Initializer: how a parameter gets its first values. Any callable that fills an array is one; a number means
// "this constant", an array "these values". The ones of lib/links/initializers.h are plain structs:
//
//   links::Linear l1{*this, "l1", 100, {.initialW = initializers::HeNormal{}}};
#pragma once

#include <functional>
#include <type_traits>

#include <renkei/lib/core/array.h>

namespace renkei {

class Initializer {
 public:
  using Fill = std::function<void(const Array& array)>;

  Initializer() = default;                ///< none: the link takes its default
  Initializer(double constant);           ///< every element has this value
  Initializer(int constant) : Initializer{static_cast<double>(constant)} {}
  Initializer(const Array& values);       ///< these values, broadcast to the shape of the parameter

  /// A callable that overwrites all elements of the array it is given (float32 or float64, on any device).
  template <class F>
    requires(std::is_class_v<std::remove_cvref_t<F>> && std::is_invocable_v<const F&, const Array&> &&
             !std::is_same_v<std::remove_cvref_t<F>, Initializer>)
  Initializer(F fill) : fill_{std::move(fill)} {}

  explicit operator bool() const { return static_cast<bool>(fill_); }
  void operator()(const Array& array) const { fill_(array); }

 private:
  Fill fill_;
};

}  // namespace renkei
