// LossLink: a model whose call is the loss. Updaters train it, evaluators evaluate it, replicas clone it.
#pragma once

#include <memory>

#include <renkei/lib/links/link.h>

namespace renkei {

class LossLink : public Chain {
 public:
  /// The loss of a batch, a single element. Reports what is worth knowing through `report`.
  virtual Variable loss(const Variables& batch) = 0;

  /// A model of its own with the same values: `return std::make_unique<MyModel>(*this);`
  virtual std::unique_ptr<LossLink> clone() const = 0;

 protected:
  LossLink() = default;
  LossLink(const LossLink&) = default;
  LossLink& operator=(const LossLink&) = default;
  LossLink(LossLink&&) = default;
  LossLink& operator=(LossLink&&) = default;
};

}  // namespace renkei
