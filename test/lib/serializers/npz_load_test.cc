#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npz.h>

#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

namespace {

struct Model {
  Array W = zeros({2, 3}, Dtype::float32), b = zeros({2}, Dtype::float32);
  void serialize(Serializer& s) {
    s("W", W);
    s("b", b);
  }
};

struct Snapshot {
  Model model;
  std::int64_t iteration = 5;
  void serialize(Serializer& s) {
    Serializer updater = s.child("updater");
    updater.object("model:main", model);
    updater("iteration", iteration);
  }
};

struct Optimizer {
  std::int64_t t = 1, epoch = 2;
  void serialize(Serializer& s) {
    s("t", t);
    s("epoch", epoch);
  }
};

}  // namespace

TEST_CASE("an object is saved to a file and loaded from it") {
  const TemporaryFolder folder;
  Model model;
  fill(model.W, 3);
  save_npz(folder / "model.npz", model);
  Model other;
  const LoadReport report = load_npz(folder / "model.npz", other);
  CHECK(report.missing.empty());
  CHECK(identical(other.W, model.W));
}

TEST_CASE("a file with more parameters than the model is refused unless that is allowed") {
  const TemporaryFolder folder;
  const std::string path = folder / "lstm.npz";
  write_npz(path, {{"W", full({2, 3}, 1, Dtype::float32)}, {"b", zeros({2}, Dtype::float32)},
                   {"w9", zeros({4}, Dtype::float32)}});
  Model model;
  check_error<MismatchError>([&] { load_npz(path, model); }, {path, "w9", "(4,)"});
  const LoadReport report = load_npz(path, model, {.allow_extra = true});
  CHECK(report.extra == std::vector<std::string>{"w9"});
  CHECK(to_vector<float>(model.W) == std::vector<float>(6, 1));
  CHECK(load_npz(path, model, {.ignore_names = {"w9"}}).ignored == std::vector<std::string>{"w9"});
}

TEST_CASE("a partial load returns what it skipped") {
  const TemporaryFolder folder;
  const std::string path = folder / "part.npz";
  write_npz(path, {{"W", full({2, 3}, 1, Dtype::float32)}});
  Model model;
  check_error<MismatchError>([&] { load_npz(path, model); }, {path, "b: not in the file"});
  CHECK(load_npz(path, model, {.allow_missing = true}).missing == std::vector<std::string>{"b"});
  CHECK(to_vector<float>(model.W) == std::vector<float>(6, 1));
}

TEST_CASE("a partial load of which nothing fits is refused all the same") {
  const TemporaryFolder folder;
  write_npz(folder / "x.npz", {{"l1/W", zeros({2, 3}, Dtype::float32)}});
  Model model;
  check_error<MismatchError>(
      [&] { load_npz(folder / "x.npz", model, {.allow_missing = true, .allow_extra = true}); }, {"W", "l1/W"});
}

TEST_CASE("a model inside a snapshot is loaded by its path") {
  const TemporaryFolder folder;
  Snapshot snapshot;
  fill(snapshot.model.b, 4);
  save_npz(folder / "snapshot", snapshot);
  Model model;
  load_npz(folder / "snapshot", model, {.path = "updater/model:main/"});
  CHECK(to_vector<float>(model.b) == std::vector<float>{4, 4});
}

TEST_CASE("a model file given as a snapshot, and the other way round, is called by its name") {
  const TemporaryFolder folder;
  Model model;
  Snapshot snapshot;
  Optimizer optimizer;
  save_npz(folder / "model", model);
  save_npz(folder / "snapshot", snapshot);
  save_npz(folder / "optimizer", optimizer);
  check_error<MismatchError>([&] { load_npz(folder / "model", snapshot); },
                             {folder / "model", "a model file", "W", "not a trainer snapshot"});
  check_error<MismatchError>([&] { load_npz(folder / "snapshot", model); },
                             {folder / "snapshot", "a trainer snapshot", "not a model file", "updater/model:main"});
  check_error<MismatchError>([&] { load_npz(folder / "optimizer", model); }, {"an optimizer file", "not a model file"});
  check_error<MismatchError>([&] { load_npz(folder / "model", optimizer); }, {"a model file", "not an optimizer file"});
}

TEST_CASE("the kind of a file is told by its keys") {
  CHECK(kind_of({}) == NpzKind::other);
  CHECK(kind_of({{"text", std::string{"x"}}}) == NpzKind::other);
  CHECK(kind_of({{"iterator:main/order", zeros({3}, Dtype::int64)}}) == NpzKind::other);
  CHECK(kind_of({{"0/W", None{}}}) == NpzKind::model);
  CHECK(kind_of({{"t", std::int64_t{1}}, {"epoch", std::int64_t{0}}}) == NpzKind::optimizer);
  CHECK(kind_of({{"updater/iteration", std::int64_t{1}}}) == NpzKind::snapshot);
}
