#include <renkei/lib/links/parameter.h>

#include <fmt/format.h>

#include <renkei/lib/autograd/config.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/link.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {

Parameter::Parameter(Link& owner, std::string name, Initializer initializer)
    : Variable{std::make_shared<VariableBody>()}, name_{std::move(name)}, initializer_{std::move(initializer)},
      device_{&current_device()}, dtype_{config().dtype} {
  if (!initializer_)
    throw ValueError{fmt::format("parameter {}: initializer", name_), "none", "one, initializers::Zero{} for zeros"};
  owner.register_parameter(name_, *this);
}

Parameter::Parameter(Link& owner, std::string name, const Array& values)
    : Parameter{owner, std::move(name), Initializer{values}} {
  dtype_ = values.dtype();
  device_ = &values.device();
  initialize(values.shape());
}

Parameter::Parameter(Link& owner, std::string name, Initializer initializer, const Shape& shape)
    : Parameter{owner, std::move(name), std::move(initializer)} {
  initialize(shape);
}

Parameter::Parameter(Parameter&&) noexcept = default;
Parameter::~Parameter() = default;

Parameter::Parameter(const Parameter& other)
    : Variable{other.body_ ? std::make_shared<VariableBody>() : nullptr}, name_{other.name_},
      initializer_{other.initializer_}, device_{other.device_}, dtype_{other.dtype_} {
  if (other.is_initialized()) hold(copy(other.data()));
}

Parameter& Parameter::operator=(const Parameter& other) {
  if (this == &other) return *this;
  name_ = other.name_;
  initializer_ = other.initializer_;
  device_ = other.device_;
  dtype_ = other.dtype_;
  const bool fits = is_initialized() && other.is_initialized() && shape() == other.shape() &&
                    dtype() == other.dtype() && &device() == &other.device();
  if (fits) {
    copy_into(data(), other.data());
    clear_grad();
    return *this;
  }
  if (!other.body_) {
    body_ = nullptr;
    Link::note_change_of_structure();
    return *this;
  }
  if (!body_) body_ = std::make_shared<VariableBody>();
  hold(other.is_initialized() ? copy(other.data()) : Array{});
  return *this;
}

Parameter& Parameter::operator=(Parameter&& other) noexcept {
  Variable::operator=(std::move(other));
  name_ = std::move(other.name_);
  initializer_ = std::move(other.initializer_);
  device_ = other.device_;
  dtype_ = other.dtype_;
  Link::note_change_of_structure();
  return *this;
}

void Parameter::initialize(const Shape& shape) {
  if (is_initialized())
    throw StateError{fmt::format("parameter {}: initialized already, with shape {}", name_, this->shape().to_string())};
  if (!body_) throw StateError{"parameter: absent, so it cannot be initialized"};
  const Array values = empty(shape, dtype_, *device_);
  try {
    initializer_(values);
  } catch (Error& error) {
    error.prepend(fmt::format("parameter {}", name_));
    throw;
  }
  hold(values);
}

void Parameter::hold(const Array& data) {
  body_->data = data;
  body_->grad = {};
  body_->grad_home = {};
  body_->node = nullptr;
  if (data) body_->node = std::make_shared<VariableNode>(VariableNode{data.shape(), data.dtype(), body_, nullptr, 0});
}

void Parameter::to_device(Device& device) {
  device_ = &device;
  if (is_initialized() && &data().device() != &device) hold(renkei::to_device(data(), device));
}

void Parameter::serialize(Serializer& s, const std::string& key) {
  if (!s.is_loading()) return s.save(key, is_initialized() ? Value{data()} : Value{None{}});
  const Value* stored = s.find(key);
  if (!stored) return;
  if (std::holds_alternative<None>(*stored)) {
    if (is_initialized())
      s.fail(key, fmt::format("the file has None (no shape yet), the parameter shape {}", shape().to_string()));
    return;
  }
  Array values = is_initialized() ? data() : Array{};
  if (!values) {
    const auto* array = std::get_if<Array>(stored);
    if (!array || !is_floating(array->dtype())) s.fail(key, "want an array of floating type for a parameter");
    values = empty(array->shape(), dtype_, *device_);
  }
  s(key, values);
  if (!is_initialized()) hold(values);
}

}  // namespace renkei
