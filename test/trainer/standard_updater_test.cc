#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>

#include "support/small_training.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

TEST_CASE("an update draws a batch, steps the optimizer and counts") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  const auto before = to_vector<float>(training.model.predictor.l2.b.data());
  training.updater->update();
  CHECK(training.updater->iteration() == 1);
  CHECK(training.optimizer.t() == 1);
  CHECK(training.updater->samples_seen() == 4);
  CHECK(training.updater->epoch_size() == 10);
  CHECK(training.updater->epoch() == 0);
  CHECK(training.updater->epoch_detail() == Approx(0.4));
  CHECK(training.updater->previous_epoch_detail() == Approx(0.0));
  CHECK(to_vector<float>(training.model.predictor.l2.b.data()) != before);
  training.updater->update();
  CHECK(training.optimizer.epoch() == 0);
  training.updater->update();
  CHECK(training.updater->is_new_epoch());
  CHECK(training.updater->epoch() == 1);
  CHECK(training.optimizer.epoch() == 1);
}

TEST_CASE("the optimizer of a standard updater is called main") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {1, "epoch"}};
  const auto optimizers = training.updater->optimizers();
  REQUIRE(optimizers.size() == 1);
  CHECK(optimizers[0].first == "main");
  CHECK(optimizers[0].second == &training.optimizer);
}

TEST_CASE("a loss function gets the model and the batch in place of the model's own loss") {
  const TupleDataset data = small_data(6);
  links::Linear model{4, 2};
  optimizers::SGD optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator{data, 3, {.shuffle = false}};
  Link* seen = nullptr;
  updaters::StandardUpdater updater{iterator, optimizer, {.loss_func = [&](Link& link, const Variables& batch) {
                                                            seen = &link;
                                                            CHECK(batch.at(0).shape() == Shape{3, 4});
                                                            CHECK(batch.at(1).shape() == Shape{3});
                                                            return functions::sum(model(batch[0]));
                                                          }}};
  updater.update();
  CHECK(seen == &model);
}

TEST_CASE("an optimizer without a target, or with one that has no loss, is refused") {
  const TupleDataset data = small_data(6);
  iterators::SerialIterator iterator{data, 3};
  optimizers::SGD optimizer;
  CHECK_THROWS_AS(updaters::StandardUpdater(iterator, optimizer), StateError);
  CHECK_THROWS_AS(updaters::StandardUpdater(iterator, optimizer, {.loss_func = [](Link&, const Variables&) { return Variable{}; }}),
                  StateError);
  links::Linear model{4, 2};
  optimizer.setup(model);
  check_error<StateError>([&] { updaters::StandardUpdater{iterator, optimizer}; }, {"does not compute a loss", "Classifier", "loss_func"});
}

TEST_CASE("training data that ends is an error") {
  const TupleDataset data = small_data(4);
  links::Classifier model{SmallNet{3}};
  optimizers::SGD optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator{data, 4, {.repeat = false}};
  updaters::StandardUpdater updater{iterator, optimizer};
  updater.update();
  check_error<StateError>([&] { updater.update(); }, {"has ended", "repeat"});
  CHECK(updater.iteration() == 1);
}

TEST_CASE("an error inside the model names the link") {
  const TupleDataset data = small_data(4);
  links::Classifier model{Sequential{links::Linear{4, 3}, links::Linear{5, 2}}};
  optimizers::SGD optimizer;
  optimizer.setup(model);
  iterators::SerialIterator iterator{data, 2};
  updaters::StandardUpdater updater{iterator, optimizer};
  check_error<ShapeError>([&] { updater.update(); }, {"predictor/1", "(2, 3)", "(2, 5)"});
}

TEST_CASE("an update that fails does not count, and its batch and random numbers come again") {
  const TemporaryFolder out;
  bool fails = true;
  const auto loss = [&](Link& model, const Variables& batch) {
    const Variable value = dynamic_cast<LossLink&>(model).loss(batch);
    if (fails && batch[0].size() == 16) throw StateError{"loss failed"};
    return value;
  };
  default_generator().reset(3);
  SmallTraining failing{out.path(), {2, "epoch"}, {.loss_func = loss}};
  const TemporaryFolder files;
  save_npz(files / "start", *failing.trainer);
  CHECK_THROWS_AS(failing.updater->update(), StateError);
  CHECK(failing.updater->iteration() == 0);
  CHECK(differences(read_npz(files / "start"), saved(*failing.trainer)) == std::vector<std::string>{});

  default_generator().reset(3);
  SmallTraining straight{out.path(), {2, "epoch"}};
  straight.updater->update();
  const Dictionary want = state_of(*straight.trainer);
  failing.trainer->resume(files / "start");  // the random numbers are those of the process
  fails = false;
  failing.updater->update();
  CHECK(differences(want, state_of(*failing.trainer)).empty());
}

TEST_CASE("a batch is not taken back once its step is done") {
  const TemporaryFolder out;
  SmallTraining training{out.path(), {2, "epoch"}};
  training.optimizer.add_hook([](Optimizer&) { throw StateError{"after the step"}; },
                              {.name = "late", .timing = HookTiming::post});
  CHECK_THROWS_AS(training.updater->update(), StateError);
  CHECK(training.optimizer.t() == 1);
  CHECK(training.updater->samples_seen() == 4);  // the same step is not made a second time
}
