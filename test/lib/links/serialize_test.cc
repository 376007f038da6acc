#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/persistent.h>
#include <renkei/lib/links/sequential.h>
#include <renkei/lib/serializers/serializer.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

struct Norm : Link {
  Norm(Chain& parent, const std::string& name) : Link{parent, name} {}
  Parameter gamma{*this, "gamma", 1.0, {2}};
  Persistent<std::int64_t> N{*this, "N", 0};
  Persistent<Array> mean{*this, "avg_mean", zeros({2}, Dtype::float32)};
  Persistent<Array> lazy{*this, "lazy", Array{}};
};

struct Model : Chain {
  links::Linear l1{*this, "l1", 3};
  Norm bn{*this, "bn"};
};

Dictionary save(Link& link) {
  Dictionary saved;
  Serializer serializer = Serializer::saving(saved);
  link.serialize(serializer);
  return saved;
}

void load(Link& link, const Dictionary& saved, LoadOptions options = {}) {
  Serializer serializer = Serializer::loading(saved, "model.npz", std::move(options));
  link.serialize(serializer);
  serializer.finish();
}

std::vector<std::string> keys(const Dictionary& saved) {
  std::vector<std::string> result;
  for (const auto& [key, value] : saved) result.push_back(key);
  return result;
}

}  // namespace

TEST_CASE("a link saves parameters and persistent values by path, None without a shape") {
  Model model;
  const Dictionary saved = save(model);
  CHECK(keys(saved) == std::vector<std::string>{"bn/N", "bn/avg_mean", "bn/gamma", "bn/lazy", "l1/W", "l1/b"});
  CHECK(std::holds_alternative<None>(saved.at("l1/W")));
  CHECK(std::holds_alternative<None>(saved.at("bn/lazy")));
  CHECK(std::get<std::int64_t>(saved.at("bn/N")) == 0);
}

TEST_CASE("loading gives a lazy parameter its shape, and values of the file's type are converted") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  source.bn.N.value = 4;
  source.bn.lazy.value = full({2}, 3.0, Dtype::float32);
  Dictionary saved = save(source);
  saved["l1/W"] = cast(std::get<Array>(saved["l1/W"]), Dtype::float64);
  load(model, saved);
  CHECK(model.l1.W.shape() == Shape{3, 5});
  CHECK(model.l1.W.dtype() == Dtype::float32);
  CHECK(model.l1.W.requires_grad());
  CHECK(to_vector<float>(model.l1.W.data()) == to_vector<float>(source.l1.W.data()));
  CHECK(model.bn.N.value == 4);
  CHECK(to_vector<float>(model.bn.lazy.value) == std::vector<float>{3, 3});
}

TEST_CASE("loading changes the array that is there") {
  Model model, source;
  fill(source.bn.gamma.data(), 9.0);
  const Array place = model.bn.gamma.data();
  load(model, save(source));
  CHECK(model.bn.gamma.data().is(place));
  CHECK(to_vector<float>(place) == std::vector<float>{9, 9});
}

TEST_CASE("a model loaded from a file holds no reference into the file's memory") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  const Dictionary saved = save(source);
  load(model, saved);
  fill(source.l1.W.data(), 0.0);
  CHECK(to_vector<float>(model.l1.W.data())[0] != 0.0f);
}

TEST_CASE("the first missing, extra or unfitting parameter is named, with both shapes") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  Dictionary saved = save(source);
  saved.erase("l1/b");
  CHECK_THROWS_WITH(load(model, saved), Contains("model.npz") && Contains("l1/b"));
  saved = save(source);
  saved["l2/W"] = zeros({2, 2}, Dtype::float32);
  CHECK_THROWS_WITH(load(model, saved), Contains("l2/W"));
  saved = save(source);
  saved["bn/gamma"] = zeros({1}, Dtype::float32);  // no stretching
  CHECK_THROWS_WITH(load(model, saved), Contains("bn/gamma") && Contains("(1,)") && Contains("(2,)"));
  Model initialised;
  initialised.l1.W.initialize({3, 4});
  CHECK_THROWS_WITH(load(initialised, save(source)), Contains("l1/W") && Contains("(3, 5)") && Contains("(3, 4)"));
}

TEST_CASE("None in the file does not fit a parameter that has a shape") {
  Model model, source;
  model.l1.W.initialize({3, 5});
  CHECK_THROWS_WITH(load(model, save(source)), Contains("l1/W") && Contains("None") && Contains("(3, 5)"));
}

TEST_CASE("text or integers do not become a lazy parameter") {
  Model model, source;
  Dictionary saved = save(source);
  saved["l1/W"] = std::string{"W"};
  CHECK_THROWS_WITH(load(model, saved), Contains("l1/W"));
  saved["l1/W"] = zeros({3, 5}, Dtype::int32);
  CHECK_THROWS_WITH(load(model, saved), Contains("l1/W"));
}

TEST_CASE("parts of a model are loaded where the caller allows it") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  fill(source.l1.b.data(), 5.0);
  Dictionary saved = save(source);
  saved.erase("l1/W");
  saved["w9"] = zeros({2}, Dtype::float32);
  load(model, saved, {.allow_missing = true, .allow_extra = true});
  CHECK_FALSE(model.l1.W.is_initialized());
  CHECK(to_vector<float>(model.l1.b.data()) == std::vector<float>{5, 5, 5});
}

TEST_CASE("loading and training no step leaves every byte") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  load(model, save(source));
  const Dictionary again = save(model);
  for (const auto& [key, value] : save(source))
    if (const auto* array = std::get_if<Array>(&value); array && array->dtype() == Dtype::float32)
      CHECK(to_vector<float>(*array) == to_vector<float>(std::get<Array>(again.at(key))));
}

TEST_CASE("children of lists are numbered in files") {
  Sequential net{links::Linear{2}, [](const Variable& x) { return x; }, links::Linear{3, {.nobias = true}}};
  CHECK(keys(save(net)) == std::vector<std::string>{"0/W", "0/b", "1/W"});
}

TEST_CASE("copy_from takes all values of a model of the same structure") {
  Model model, source;
  source.l1.W.initialize({3, 5});
  source.bn.N.value = 8;
  fill(source.bn.mean.value, 2.0);
  model.copy_from(source);
  CHECK(to_vector<float>(model.l1.W.data()) == to_vector<float>(source.l1.W.data()));
  CHECK(model.bn.N.value == 8);
  CHECK(to_vector<float>(model.bn.mean.value) == std::vector<float>{2, 2});
  Sequential other{links::Linear{2}};
  CHECK_THROWS_AS(model.copy_from(other), MismatchError);
}
