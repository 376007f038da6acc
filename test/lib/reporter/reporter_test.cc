#include <renkei/lib/reporter/reporter.h>

#include <thread>

#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;

TEST_CASE("reports take the name of their observer and later ones replace earlier ones") {
  const int model = 0;
  Reporter reporter;
  reporter.add_observer("main", &model);
  Observation observation;
  const ReporterScope scope{reporter, observation};
  report("loss", 1.0, 10, &model);
  report("lr", 0.5);
  report("loss", Variable{full({}, 2.0, Dtype::float32)}, 20, &model);
  REQUIRE(observation.find("main/loss"));
  CHECK(observation.find("main/loss")->value() == 2.0);
  CHECK(observation.find("main/loss")->weight() == 20);
  CHECK(observation.find("lr")->value() == 0.5);
  CHECK_FALSE(observation.find("loss"));
  CHECK(observation.begin()->key == "main/loss");
}

TEST_CASE("a reported value is the one at the time of the report") {
  const Array value = full({}, 1.0, Dtype::float32);
  Observation observation;
  observation.set("x", Reported{value, 1});
  fill(value, 7);
  CHECK(observation.find("x")->value() == 1.0);
}

TEST_CASE("without a reporter, and in other threads, reports go nowhere") {
  report("loss", 1.0);
  Reporter reporter;
  Observation observation;
  const ReporterScope scope{reporter, observation};
  std::thread{[] {
    CHECK_FALSE(is_reporting());
    report("loss", 1.0);
  }}.join();
  CHECK(observation.empty());
}

TEST_CASE("a helper thread reports through a scope of its own") {
  Reporter reporter;
  Observation observation;
  std::thread{[&] {
    const ReporterScope scope{reporter, observation};
    report("loss", 1.0);
  }}.join();
  CHECK(observation.find("loss"));
}

TEST_CASE("scopes nest and end with their block, also when an exception passes") {
  Reporter reporter;
  Observation outer, inner;
  const ReporterScope scope{reporter, outer};
  try {
    const ReporterScope nested{reporter, inner};
    report("a", 1.0);
    throw 1;
  } catch (int) {
  }
  report("b", 1.0);
  CHECK(inner.find("a"));
  CHECK(outer.find("b"));
  CHECK_FALSE(outer.find("a"));
}

TEST_CASE("an unknown observer and a value that is no single number are named") {
  const int stranger = 0;
  Reporter reporter;
  Observation observation;
  const ReporterScope scope{reporter, observation};
  renkei::test::check_error<StateError>([&] { report("loss", 1.0, 1, &stranger); }, {"loss"});
  renkei::test::check_error<ShapeError>([&] { report("loss", Variable{zeros({2}, Dtype::float32)}); }, {"(2,)"});
}
