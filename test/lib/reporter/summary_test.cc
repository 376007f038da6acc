#include <renkei/lib/reporter/summary.h>

#include <cmath>
#include <limits>

#include <renkei/lib/serializers/serializer.h>

#include "support/throws.h"

using namespace renkei;

TEST_CASE("a short last batch counts by its size") {
  Summary summary;
  summary.add(1.0, 4);
  summary.add(1.0, 4);
  summary.add(0.0, 2);
  CHECK(summary.mean() == Approx(0.8));
}

TEST_CASE("the standard deviation is that of the population and survives rounding") {
  Summary summary;
  for (const double value : {1.0, 2.0, 3.0, 4.0}) summary.add(value);
  CHECK(summary.standard_deviation() == Approx(std::sqrt(1.25)));
  Summary constant;
  for (int i = 0; i < 10; ++i) constant.add(0.1);
  CHECK(constant.standard_deviation() == Approx(0.0).margin(1e-7));
}

TEST_CASE("nothing has no mean, and NaN stays visible") {
  CHECK(std::isnan(Summary{}.mean()));
  Summary summary;
  summary.add(1.0);
  summary.add(std::numeric_limits<double>::quiet_NaN());
  CHECK(std::isnan(summary.mean()));
  CHECK(std::isnan(summary.standard_deviation()));
}

TEST_CASE("a part without samples changes no mean") {
  Summary summary;
  summary.add(2.0, 3);
  summary.add(std::numeric_limits<double>::quiet_NaN(), 0);
  CHECK(summary.mean() == 2.0);
  CHECK(summary.weight() == 3);
}

TEST_CASE("a summary saved inside an interval goes on where it was") {
  DictSummary before;
  for (int i = 0; i < 5; ++i) before.add("main/loss", {static_cast<double>(i), 1});
  Dictionary saved;
  Serializer saving = Serializer::saving(saved);
  before.serialize(saving);
  CHECK(std::get<std::string>(saved.at("_names")) == R"(["main/loss"])");
  CHECK(std::get<std::int64_t>(saved.at("_summaries/0/_n")) == 5);
  CHECK(std::get<double>(saved.at("_summaries/0/_x")) == 10.0);

  DictSummary after;
  after.add("left over", {1.0, 1});
  Serializer loading = Serializer::loading(saved, "snapshot");
  after.serialize(loading);
  for (int i = 5; i < 10; ++i) after.add("main/loss", {static_cast<double>(i), 1});
  REQUIRE(after.means().size() == 1);
  CHECK(after.means()[0].second == 4.5);
}

TEST_CASE("broken names in a file are refused") {
  const Dictionary saved{{"_names", std::string{"[1"}}};
  DictSummary summary;
  Serializer loading = Serializer::loading(saved, "snapshot_iter_5");
  renkei::test::check_error<MismatchError>([&] { summary.serialize(loading); }, {"snapshot_iter_5", "_names", "JSON"});
}
