// Small models and helpers for the tests of optimizers.
#pragma once

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/functions/arithmetic.h>
#include <renkei/lib/autograd/config.h>
#include <renkei/lib/links/initializers.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/optimizers/optimizer.h>
#include <renkei/lib/serializers/serializer.h>

namespace models {

using namespace renkei;

/// Two parameters with given values, and no forward: gradients are set by hand.
struct Pair : Chain {
  Parameter a{*this, "a", 1.0, {3}}, b{*this, "b", 2.0, {2, 2}};

  void set_grads(double ga, double gb) {
    a.set_grad(Variable{full_like(a.data(), ga)});
    b.set_grad(Variable{full_like(b.data(), gb)});
  }
};

struct MLP : Chain {
  links::Linear l1{*this, "l1", 8}, l2{*this, "l2", 2};
  Variable forward(const Variable& x) { return l2(functions::tanh(l1(x))); }
};

inline const Variable kInput{to_array<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2})};
inline const Variable kLabels{to_array<std::int32_t>({0, 1, 1, 0}, {4})};

template <class Model>
std::function<Variable()> loss_of(Model& model) {
  return [&model] { return functions::softmax_cross_entropy(model.forward(kInput), kLabels); };
}

inline float first(const Parameter& parameter) { return to_vector<float>(parameter.data())[0]; }

inline std::vector<std::vector<float>> values_of(Link& link) {
  std::vector<std::vector<float>> result;
  for (const auto& [path, parameter] : link.named_params())
    result.push_back(parameter->is_initialized() ? to_vector<float>(parameter->data()) : std::vector<float>{});
  return result;
}

template <class Object>
Dictionary save(Object& object) {
  Dictionary saved;
  Serializer serializer = Serializer::saving(saved);
  object.serialize(serializer);
  for (auto& [key, value] : saved)
    if (auto* array = std::get_if<Array>(&value)) *array = copy(*array);
  return saved;
}

template <class Object>
void load(Object& object, const Dictionary& saved, LoadOptions options = {}) {
  Serializer serializer = Serializer::loading(saved, "file.npz", std::move(options));
  object.serialize(serializer);
  serializer.finish();
}

}  // namespace models
