// A user's model is a plain struct, and copies of it are models of their own.
#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/persistent.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

struct MLP : Chain {
  links::Linear l1{*this, "l1", 4}, l2{*this, "l2", 3, {.nobias = true}};
  Variable forward(const Variable& x) { return l2(functions::relu(l1(x))); }
};

struct Block : Chain {
  Block() = default;
  Block(Chain& parent, const std::string& name) : Chain{parent, name} {}
  links::Linear fc{*this, "fc", 2, 2};
  Parameter scale{*this, "scale", 1.0, {2}};
  Persistent<std::int64_t> N{*this, "N", 0};
  Persistent<Array> mean{*this, "mean", zeros({2}, Dtype::float32)};
};

struct Nested : Chain {
  int size_of_something = 7;  // members that are no links do not disturb
  Block b2{*this, "b2"}, b1{*this, "b1"};
  links::Linear out{*this, "out", 2, 1};
};

std::vector<std::string> paths(Link& link) {
  std::vector<std::string> result;
  for (const auto& [path, parameter] : link.named_params()) result.push_back(path);
  return result;
}

Variable ones(const Shape& shape) { return Variable{full(shape, 1.0, Dtype::float32)}; }

bool is_inside(const void* member, const void* object, std::size_t bytes) {
  const auto* address = static_cast<const std::byte*>(member);
  const auto* begin = static_cast<const std::byte*>(object);
  return address >= begin && address < begin + bytes;
}

template <class Model>
void check_points_to_own_members(Model& model) {
  for (const auto& [path, parameter] : model.named_params()) CHECK(is_inside(parameter, &model, sizeof model));
  for (const auto& [path, link] : model.named_links()) CHECK(is_inside(link, &model, sizeof model));
}

// A vector that grows moves its elements only if that cannot throw; else it would copy whole models.
static_assert(std::is_nothrow_move_constructible_v<MLP> && std::is_nothrow_move_assignable_v<MLP>);
static_assert(std::is_copy_constructible_v<Nested> && std::is_copy_assignable_v<Nested>);

}  // namespace

TEST_CASE("parameters are listed by path: own ones by name, then children by name") {
  Nested model;
  CHECK(paths(model) == std::vector<std::string>{"b1/scale", "b1/fc/W", "b1/fc/b", "b2/scale", "b2/fc/W", "b2/fc/b",
                                                 "out/W", "out/b"});
  std::vector<std::string> links;
  for (const auto& [path, link] : model.named_links()) links.push_back(path);
  CHECK(links == std::vector<std::string>{"", "b1", "b1/fc", "b2", "b2/fc", "out"});
  CHECK(model.count_params() == 2 * (4 + 2 + 2) + 2 + 1);
  CHECK(&model.param("b2/fc/W") == &model.b2.fc.W);
  CHECK_THROWS_WITH(model.param("b2/fc/V"), Contains("b2/fc/V") && Contains("b1/scale, b1/fc/W"));
}

TEST_CASE("a copy of a model has parameters of its own with equal values") {
  Nested model;
  Nested copy = model;
  check_points_to_own_members(copy);
  CHECK(to_vector<float>(copy.out.W.data()) == to_vector<float>(model.out.W.data()));
  fill(copy.out.W.data(), 5.0);
  fill(copy.b1.mean.value, 5.0);
  copy.b1.N.value = 3;
  CHECK(to_vector<float>(model.out.W.data()) != std::vector<float>{5, 5});
  CHECK(to_vector<float>(model.b1.mean.value) == std::vector<float>{0, 0});
  CHECK(model.b1.N.value == 0);
}

TEST_CASE("a copy has no gradients and shares no graph with its source") {
  MLP model;
  Variable y = functions::sum(model.forward(ones({2, 5})));
  y.backward();
  MLP copy = model;
  for (const auto& [path, parameter] : copy.named_params()) CHECK_FALSE(parameter->grad());
  Variable z = functions::sum(copy.forward(ones({2, 5})));
  model.cleargrads();
  z.backward();
  CHECK(copy.l1.W.grad());
  CHECK_FALSE(model.l1.W.grad());
}

TEST_CASE("an uninitialised model is copied uninitialised, and each copy gets its own first values") {
  MLP model;
  MLP copy = model;
  CHECK_FALSE(copy.l1.W.is_initialized());
  copy.forward(ones({2, 5}));
  CHECK(copy.l1.W.shape() == Shape{4, 5});
  CHECK_FALSE(model.l1.W.is_initialized());
  model.forward(ones({2, 6}));
  CHECK(model.l1.W.shape() == Shape{4, 6});
}

TEST_CASE("a moved model takes its parameters along") {
  MLP model;
  model.forward(ones({2, 5}));
  const auto before = to_vector<float>(model.l1.W.data());
  const void* identity = model.l1.W.id();
  MLP moved = std::move(model);
  check_points_to_own_members(moved);
  CHECK(moved.l1.W.id() == identity);
  CHECK(to_vector<float>(moved.l1.W.data()) == before);
  CHECK(moved.forward(ones({1, 5})).shape() == Shape{1, 3});
}

TEST_CASE("models in a growing vector stay correct") {
  std::vector<MLP> models;
  std::vector<std::vector<float>> weights;
  for (int i = 0; i < 20; ++i) {
    models.emplace_back();
    models.back().forward(ones({1, 3}));
    weights.push_back(to_vector<float>(models.back().l1.W.data()));
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    check_points_to_own_members(models[i]);
    CHECK(to_vector<float>(models[i].l1.W.data()) == weights[i]);
  }
  models.erase(models.begin());
  CHECK(to_vector<float>(models[0].l1.W.data()) == weights[1]);
}

TEST_CASE("assignment copies values into the memory that is there") {
  Nested a, b;
  const Array place = a.out.W.data();
  a = b;
  CHECK(a.out.W.data().is(place));
  CHECK(to_vector<float>(a.out.W.data()) == to_vector<float>(b.out.W.data()));
  check_points_to_own_members(a);
  fill(a.out.W.data(), 0.0);
  CHECK(to_vector<float>(b.out.W.data()) != std::vector<float>{0, 0});
}

TEST_CASE("assignment between models with other shapes takes the other's shapes") {
  MLP a, b;
  a.forward(ones({1, 2}));
  b.forward(ones({1, 7}));
  a = b;
  CHECK(a.l1.W.shape() == Shape{4, 7});
  CHECK(to_vector<float>(a.l1.W.data()) == to_vector<float>(b.l1.W.data()));
  a = MLP{};
  CHECK_FALSE(a.l1.W.is_initialized());
}

TEST_CASE("a single layer can be replaced") {
  MLP model;
  model.l2 = links::Linear{4, 6};
  CHECK(paths(model) == std::vector<std::string>{"l1/W", "l1/b", "l2/W", "l2/b"});
  CHECK(model.forward(ones({2, 5})).shape() == Shape{2, 6});
}

TEST_CASE("names of members are checked") {
  struct Twice : Chain {
    links::Linear a{*this, "fc", 2}, b{*this, "fc", 2};
  };
  CHECK_THROWS_WITH(Twice{}, Contains("'fc' twice"));
  struct Slash : Chain {
    links::Linear a{*this, "a/b", 2};
  };
  CHECK_THROWS_WITH(Slash{}, Contains("'a/b'"));
  struct Empty : Chain {
    links::Linear a{*this, "", 2};
  };
  CHECK_THROWS_AS(Empty{}, ValueError);
  struct Both : Chain {
    Parameter fc{*this, "fc", 0, {2}};
    links::Linear a{*this, "fc", 2};
  };
  CHECK_THROWS_WITH(Both{}, Contains("'fc' twice"));
}

TEST_CASE("a parameter without an initializer is an error that names it") {
  struct Bare : Chain {
    Parameter gamma{*this, "gamma", Initializer{}, {2}};
  };
  CHECK_THROWS_WITH(Bare{}, Contains("gamma") && Contains("initializer"));
}

TEST_CASE("using a parameter whose shape is not known says so") {
  MLP model;
  CHECK_THROWS_WITH(functions::sum(model.l1.W), Contains("shape is not known"));
  CHECK_FALSE(model.l1.W.requires_grad());
}

TEST_CASE("a member outside its link is found where the real type is known") {
  struct Heap : Chain {
    std::vector<links::Linear> layers;
    Heap() {
      layers.reserve(2);
      layers.emplace_back(*this, "l0", 2);
    }
  };
  Heap model;
  CHECK_THROWS_WITH(Link::check_members(model), Contains("'l0'") && Contains("ChainList"));
  Nested fine;
  CHECK_NOTHROW(Link::check_members(fine));
}

TEST_CASE("the error of a layer carries its path and both shapes") {
  MLP model;
  model.forward(ones({2, 5}));
  try {
    model.forward(ones({2, 6}));
    FAIL("no error");
  } catch (Error& error) {
    model.explain(error);
    model.explain(error);  // twice changes nothing
    CHECK_THAT(error.what(), Catch::StartsWith("l1: linear") && Contains("(2, 6)") && Contains("(4, 5)"));
  }
}

TEST_CASE("a call that fails leaves a lazy parameter without a shape") {
  links::Linear layer{3, {.n_batch_axes = 2}};
  CHECK_THROWS_WITH(layer(ones({4})), Contains("(4,)") && Contains("2 batch axes"));
  CHECK_FALSE(layer.W.is_initialized());
}

TEST_CASE("links agree with their device") {
  Nested model;
  Device& other = get_device("cpu:1");
  model.to_device(other);
  for (const auto& [path, parameter] : model.named_params()) CHECK(&parameter->device() == &other);
  CHECK(&model.b1.mean.value.device() == &other);
  MLP lazy;
  lazy.to_device(other);
  lazy.forward(Variable{full({1, 2}, 1.0, Dtype::float32, other)});
  CHECK(&lazy.l1.W.device() == &other);
}
