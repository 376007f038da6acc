#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/loss.h>
#include <renkei/lib/links/classifier.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/sequential.h>
#include <renkei/lib/optimizers/sgd.h>
#include <renkei/lib/reporter/reporter.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

struct MLP : Chain {
  links::Linear l1{*this, "l1", 2, 3}, l2{*this, "l2", 3, 2};
  Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
};

const Array kInput = to_array<float>({1, 2, 3, 4, 5, 6}, {3, 2});
const Array kLabels = to_array<std::int32_t>({0, 1, 1}, {3});

std::vector<std::string> paths(Link& link) {
  std::vector<std::string> result;
  for (const auto& [path, parameter] : link.named_params()) result.push_back(path);
  return result;
}

}  // namespace

TEST_CASE("a classifier holds its predictor and reports loss and accuracy weighted by samples") {
  links::Classifier model{MLP{}};
  CHECK(paths(model) ==
        std::vector<std::string>{"predictor/l1/W", "predictor/l1/b", "predictor/l2/W", "predictor/l2/b"});
  Reporter reporter;
  reporter.add_observer("main", static_cast<Link*>(&model));
  Observation observation;
  const ReporterScope scope{reporter, observation};
  const Variable loss = model.loss({kInput, kLabels});
  REQUIRE(observation.find("main/loss"));
  CHECK(observation.find("main/loss")->value() == Approx(to_double(loss.data())));
  CHECK(observation.find("main/loss")->weight() == 3.0);
  REQUIRE(observation.find("main/accuracy"));
  CHECK(observation.find("main/accuracy")->weight() == 3.0);
}

TEST_CASE("a classifier without accuracy, with its own loss and with the label first") {
  links::Classifier model{MLP{}, {.lossfun = [](const Variable& y, const Variable& t) {
                                    CHECK(y.shape() == Shape{3, 2});
                                    CHECK(t.dtype() == Dtype::int32);
                                    return functions::softmax_cross_entropy(y, t);
                                  },
                                  .compute_accuracy = false,
                                  .label = 0}};
  Reporter reporter;
  reporter.add_observer("main", static_cast<Link*>(&model));
  Observation observation;
  const ReporterScope scope{reporter, observation};
  model.loss({kLabels, kInput});
  CHECK(observation.find("main/loss"));
  CHECK_FALSE(observation.find("main/accuracy"));
}

TEST_CASE("clones of a classifier are trained independently") {
  links::Classifier model{MLP{}};
  const auto clone = model.clone();
  const auto weights_of = [](Link& link) { return to_vector<float>(link.param("predictor/l2/b").data()); };
  const auto before = weights_of(model);
  CHECK(weights_of(*clone) == before);
  optimizers::SGD optimizer{0.1};
  optimizer.setup(*clone);
  optimizer.update([&] { return clone->loss({kInput, kLabels}); });
  CHECK(weights_of(*clone) != before);
  CHECK(weights_of(model) == before);
}

TEST_CASE("a copy of a model that is being trained goes its own way") {
  links::Classifier model{MLP{}};
  optimizers::SGD optimizer{0.1};
  optimizer.setup(model);
  optimizer.update([&] { return model.loss({kInput, kLabels}); });
  links::Classifier copy = model;
  const auto kept = to_vector<float>(copy.predictor.l1.W.data());
  CHECK(kept == to_vector<float>(model.predictor.l1.W.data()));
  optimizer.update([&] { return model.loss({kInput, kLabels}); });
  CHECK(to_vector<float>(copy.predictor.l1.W.data()) == kept);
  optimizers::SGD other{0.1};
  other.setup(copy);
  other.update([&] { return copy.loss({kInput, kLabels}); });
  CHECK(to_vector<float>(copy.predictor.l1.W.data()) == to_vector<float>(model.predictor.l1.W.data()));
}

TEST_CASE("a predictor may be a plain layer or a Sequential") {
  links::Classifier layer{links::Linear{2}};
  layer.loss({kInput, kLabels});
  CHECK(paths(layer) == std::vector<std::string>{"predictor/W", "predictor/b"});
  links::Classifier net{Sequential{links::Linear{4}, functions::relu, links::Linear{2}}};
  net.loss({kInput, kLabels});
  CHECK(paths(net) == std::vector<std::string>{"predictor/0/W", "predictor/0/b", "predictor/1/W", "predictor/1/b"});
  links::Classifier copy = net;
  copy.loss({kInput, kLabels});
  CHECK(copy.param("predictor/1/W").id() != net.param("predictor/1/W").id());
}

TEST_CASE("a shape error inside a model names the path of the layer and both shapes") {
  struct Wrong : Chain {
    links::Linear l1{*this, "l1", 2, 3}, l2{*this, "l2", 4, 2};
    Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
  };
  links::Classifier model{Wrong{}};
  optimizers::SGD optimizer;
  optimizer.setup(model);
  CHECK_THROWS_WITH(optimizer.update([&] { return model.loss({kInput, kLabels}); }),
                    Catch::StartsWith("predictor/l2: linear: ") && Contains("(3, 3)") && Contains("(2, 4)"));
  CHECK(optimizer.t() == 0);
}

TEST_CASE("a batch that is not input and label is refused with the number of arrays") {
  links::Classifier model{MLP{}};
  CHECK_THROWS_WITH(model.loss({kInput}), Contains("got 1"));
  CHECK_THROWS_WITH(model.loss({kInput, kInput, kLabels}), Contains("got 3"));
  links::Classifier far{MLP{}, {.label = 2}};
  CHECK_THROWS_WITH(far.loss({kInput, kLabels}), Contains("label") && Contains("got 2"));
}

TEST_CASE("a predictor whose layers are on the heap is refused") {
  struct Heap : Chain {
    std::vector<links::Linear> layers;
    Heap() {
      layers.reserve(1);
      layers.emplace_back(*this, "layer", 2);
    }
    Variable forward(const Variable& x) { return layers[0](x); }
  };
  CHECK_THROWS_WITH(links::Classifier{Heap{}}, Contains("'layer'") && Contains("ChainList"));
  CHECK_THROWS_WITH((Sequential{Heap{}}), Contains("'layer'"));
}
