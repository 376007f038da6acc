// Parameter: a variable that training changes, a member of a link. Values, not a handle: a copy is a new parameter with
// the same data and no gradient. Its shape may be left open until the first input is seen.
#pragma once

#include <string>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/links/initializer.h>

namespace renkei {

class Link;
class Serializer;

class Parameter : public Variable {
 public:
  Parameter() = default;  ///< no parameter at all: a bias that is switched off

  /// A parameter of `owner` called `name`, of dtype config().dtype, on the current device. Without a shape it stays
  /// uninitialised until `initialize`. Throws ValueError when the name is taken or not usable, or when there is no
  /// initializer.
  Parameter(Link& owner, std::string name, Initializer initializer);
  Parameter(Link& owner, std::string name, Initializer initializer, const Shape& shape);
  /// One with a copy of `values`, of their dtype and on their device.
  Parameter(Link& owner, std::string name, const Array& values);

  /// Copies data, not gradients. Assigning keeps the place in memory where shapes and dtypes are equal.
  Parameter(const Parameter& other);
  Parameter& operator=(const Parameter& other);
  Parameter(Parameter&&) noexcept;
  Parameter& operator=(Parameter&& other) noexcept;
  ~Parameter();

  const std::string& name() const { return name_; }

  bool is_initialized() const { return body_ && body_->data; }
  /// Gives it a shape and its first values; throws StateError if it has some already.
  void initialize(const Shape& shape);

  /// Moves it; the gradient is dropped.
  void to_device(Device& device);

  /// An array, or None without a shape. Loading an array into an uninitialised parameter gives it that shape; loading
  /// None into an initialised one, or another shape, throws MismatchError.
  void serialize(Serializer& s, const std::string& key);

  /// Data, gradient and the home of the gradient; for those who move parameters in memory.
  const std::shared_ptr<VariableBody>& body() const { return body_; }

 private:
  void hold(const Array& data);

  std::string name_;
  Initializer initializer_;
  Device* device_ = nullptr;
  Dtype dtype_ = Dtype::float32;
};

}  // namespace renkei
