// Classifier: a predictor with a loss, as the optimizer wants it.
//
//   links::Classifier model{MLP{}};
#pragma once

#include <functional>
#include <type_traits>

#include <renkei/lib/links/loss_link.h>

namespace renkei::links {

struct ClassifierOptions {
  using Measure = std::function<Variable(const Variable& y, const Variable& t)>;
  Measure lossfun = {};          ///< none: softmax_cross_entropy
  Measure accfun = {};           ///< none: accuracy
  bool compute_accuracy = true;
  int label = -1;                ///< which array of the batch is t; negative counts from the end
};

/// The part of a classifier that does not depend on the type of its predictor.
class ClassifierBase : public LossLink {
 public:
  /// Takes t out of the batch, calls the predictor with the other array, and reports "loss" and "accuracy" with the
  /// number of samples as weight.
  Variable loss(const Variables& batch) override;

  bool compute_accuracy;

 protected:
  explicit ClassifierBase(ClassifierOptions options);
  virtual Variable predict(const Variable& x) = 0;

 private:
  ClassifierOptions options_;
};

template <class Predictor>
  requires std::is_base_of_v<Link, Predictor>
class Classifier final : public ClassifierBase {
 public:
  /// Throws StateError if a registered member of the predictor lies outside it.
  explicit Classifier(Predictor model, ClassifierOptions options = {})
      : ClassifierBase{std::move(options)}, predictor{std::move(model)} {
    register_child("predictor", predictor);
    static_cast<Link&>(predictor).check_members_inside(&predictor, sizeof predictor);
  }

  std::unique_ptr<LossLink> clone() const override { return std::make_unique<Classifier>(*this); }

  Predictor predictor;

 protected:
  Variable predict(const Variable& x) override {
    if constexpr (requires { predictor.forward(x); }) return predictor.forward(x);
    else return predictor(x);
  }
};

}  // namespace renkei::links
