#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>

#include "support/capture.h"
#include "support/small_training.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

namespace {

/// Reports the mean of its input as "accuracy", and what mode it ran in.
struct Probe final : LossLink {
  int calls = 0;
  bool in_test_mode = true, without_graph = true;
  links::Linear l{*this, "l", 1, 1};

  Variable loss(const Variables& batch) override {
    ++calls;
    const Variable y = l(functions::reshape(batch[0], {batch[0].size(), 1}));
    in_test_mode = in_test_mode && !config().train;
    without_graph = without_graph && !y.requires_grad() && !y.creator();
    report("accuracy", functions::mean(batch[0]), static_cast<double>(batch[0].size()), static_cast<Link*>(this));
    return functions::sum(y);
  }
  std::unique_ptr<LossLink> clone() const override { return std::make_unique<Probe>(*this); }
};

const TupleDataset kScores{{Field{to_array<float>({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {10})}}};

}  // namespace

TEST_CASE("every sample counts once: a short last batch weighs less") {
  Probe model;
  iterators::SerialIterator iterator{kScores, 4, {.repeat = false, .shuffle = false}};
  const Observation means = extensions::Evaluator{iterator, model}.evaluate();
  REQUIRE(means.find("main/accuracy"));
  CHECK(means.find("main/accuracy")->value() == Approx(0.8));
  CHECK(means.find("main/accuracy")->weight() == 10.0);
  CHECK(model.calls == 3);
}

TEST_CASE("an evaluation runs in test mode and without a graph, and restores both modes") {
  Probe model;
  iterators::SerialIterator iterator{kScores, 4, {.repeat = false}};
  extensions::Evaluator{iterator, model}.evaluate();
  CHECK(model.in_test_mode);
  CHECK(model.without_graph);
  CHECK(config().train);
  CHECK(config().enable_backprop);
}

TEST_CASE("a second evaluation equals the first, also with dropout, and leaves gradients and random numbers alone") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  training.updater->update();
  const auto gradient = to_vector<float>(training.model.predictor.l2.b.grad().data());
  const std::uint64_t stream = default_generator().next_stream();
  extensions::Evaluator evaluator{training.test_iterator, training.model};
  const Observation first = evaluator.evaluate(), second = evaluator.evaluate();
  REQUIRE(first.find("main/loss"));
  CHECK(second.find("main/loss")->value() == first.find("main/loss")->value());
  CHECK(second.find("main/loss")->weight() == 10.0);
  CHECK(second.find("main/accuracy")->value() == first.find("main/accuracy")->value());
  CHECK(to_vector<float>(training.model.predictor.l2.b.grad().data()) == gradient);
  CHECK(default_generator().next_stream() == stream);
}

TEST_CASE("an evaluation starts at the first example wherever the iterator was") {
  Probe model;
  iterators::SerialIterator iterator{kScores, 4, {.repeat = false, .shuffle = false}};
  iterator.next();
  CHECK(extensions::Evaluator{iterator, model}.evaluate().find("main/accuracy")->weight() == 10.0);
}

TEST_CASE("an iterator that repeats and a target without loss are refused") {
  Probe model;
  iterators::SerialIterator repeating{kScores, 4};
  check_error<StateError>([&] { extensions::Evaluator(repeating, model); }, {"never end", "repeat"});
  iterators::SerialIterator iterator{kScores, 4, {.repeat = false}};
  links::Linear linear{1, 1};
  check_error<StateError>([&] { extensions::Evaluator(iterator, linear); }, {"does not compute a loss", "eval_func"});
}

TEST_CASE("an eval_func takes the place of the target's loss") {
  links::Linear linear{1, 1};
  iterators::SerialIterator iterator{kScores, 5, {.repeat = false}};
  int calls = 0;
  extensions::Evaluator evaluator{iterator, linear, {.eval_func = [&](const Variables& batch) {
                                                       ++calls;
                                                       report("size", static_cast<double>(batch[0].size()), 1.0, static_cast<Link*>(&linear));
                                                       report("free", 2.0);
                                                     }}};
  const Observation means = evaluator.evaluate("test");
  CHECK(calls == 2);
  CHECK(means.find("test/size")->value() == 5.0);
  CHECK(means.find("free")->value() == 2.0);
}

TEST_CASE("keys follow the prefix and the path of the link") {
  const TupleDataset data = small_data(6);
  links::Classifier model{SmallNet{3}};
  iterators::SerialIterator iterator{data, 3, {.repeat = false}};
  extensions::Evaluator evaluator{iterator, model, {.eval_func = [&](const Variables&) {
                                                      report("seen", 1.0, 1.0, static_cast<Link*>(&model.predictor.l1));
                                                    }}};
  CHECK(evaluator.evaluate("a").find("a/predictor/l1/seen"));
  CHECK(evaluator.evaluate("").find("predictor/l1/seen"));
}

TEST_CASE("an empty data set gives no means") {
  const TupleDataset none = small_data(3).slice(0, 0);
  links::Classifier model{SmallNet{3}};
  iterators::SerialIterator iterator{none, 3, {.repeat = false}};
  CHECK(extensions::Evaluator{iterator, model}.evaluate().empty());
}

TEST_CASE("in a trainer the keys begin with the name of the evaluator") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  training.trainer->extend(extensions::Evaluator{training.test_iterator, training.model}, {.name = "holdout"});
  training.trainer->extend(extensions::Evaluator{training.test_iterator, training.model});
  training.trainer->run();
  const Observation& last = training.trainer->observation();
  REQUIRE(last.find("validation/main/loss"));
  REQUIRE(last.find("holdout/main/loss"));
  REQUIRE(last.find("validation_1/main/accuracy"));
  CHECK(last.find("holdout/main/loss")->value() == last.find("validation/main/loss")->value());
}

TEST_CASE("an error in an evaluation names the link") {
  const TupleDataset data = small_data(6);
  links::Classifier model{Sequential{links::Linear{4, 3}, links::Linear{5, 2}}};
  iterators::SerialIterator iterator{data, 3, {.repeat = false}};
  check_error<ShapeError>([&] { extensions::Evaluator(iterator, model).evaluate(); }, {"predictor/1", "(2, 5)"});
}
