#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/functions/evaluation.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/optimizers/sgd.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

struct MLP : Chain {
  links::Linear l1{*this, "l1", 8}, l2{*this, "l2", 2};
  Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
};

}  // namespace

TEST_CASE("a model with lazy shapes learns exclusive or") {
  const Variable x{to_array<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2})};
  const Variable t{to_array<std::int32_t>({0, 1, 1, 0}, {4})};
  MLP model;
  optimizers::SGD optimizer{0.5};
  optimizer.setup(model);
  double loss = 0;
  for (int i = 0; i < 500; ++i)
    optimizer.update([&] {
      Variable value = functions::softmax_cross_entropy(model.forward(x), t);
      loss = to_double(value.data());
      return value;
    });
  CHECK(loss < 0.05);
  CHECK(to_double(functions::accuracy(model.forward(x), t).data()) == 1.0);
  CHECK(optimizer.t() == 500);
}
