#include <catch2/catch.hpp>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/links/linear.h>
#include <renkei/lib/links/sequential.h>

using namespace renkei;
using Catch::Matchers::Contains;

namespace {

struct Deep : Chain {
  ChainList layers{*this, "layers"};
  explicit Deep(int depth) {
    for (int i = 0; i < depth; ++i) layers.add(links::Linear{3, 3});
  }
  Variable forward(Variable x) {
    for (std::size_t i = 0; i < layers.size(); ++i) x = functions::relu(layers.at<links::Linear>(i)(x));
    return x;
  }
};

std::vector<std::string> paths(Link& link) {
  std::vector<std::string> result;
  for (const auto& [path, parameter] : link.named_params()) result.push_back(path);
  return result;
}

Variable ones(const Shape& shape) { return Variable{full(shape, 1.0, Dtype::float32)}; }

}  // namespace

TEST_CASE("a ChainList numbers its children, ten and more in the order of numbers") {
  Deep model{12};
  const auto listed = paths(model);
  CHECK(listed[0] == "layers/0/W");
  CHECK(listed[4] == "layers/2/W");
  CHECK(listed[22] == "layers/11/W");
}

TEST_CASE("copies of a ChainList own copies of the children") {
  Deep model{2};
  Deep copy = model;
  CHECK(copy.layers.size() == 2);
  CHECK(&copy.layers[0] != &model.layers[0]);
  fill(copy.layers.at<links::Linear>(0).W.data(), 0.0);
  CHECK(to_vector<float>(model.layers.at<links::Linear>(0).W.data()) != std::vector<float>(9, 0.0f));
  Deep other{5};
  other = model;
  CHECK(other.layers.size() == 2);
  CHECK(to_vector<float>(other.forward(ones({1, 3})).data()) == to_vector<float>(model.forward(ones({1, 3})).data()));
  Deep moved = std::move(other);
  CHECK(paths(moved).size() == 4);
}

TEST_CASE("wrong indices and types of a ChainList are errors") {
  Deep model{2};
  CHECK_THROWS_WITH(model.layers[2], Contains("got 2") && Contains("size, 2"));
  CHECK_THROWS_AS(model.layers.at<ChainList>(0), ValueError);
}

TEST_CASE("a Sequential calls its parts in order and numbers only the links") {
  const auto twice = [](const Variable& x) { return Variable{cast(x.data(), x.dtype())}; };
  Sequential net{links::Linear{3, 4}, functions::relu, twice, links::Linear{4, 2, {.nobias = true}}};
  CHECK(paths(net) == std::vector<std::string>{"0/W", "0/b", "1/W"});
  CHECK(net(ones({5, 3})).shape() == Shape{5, 2});
}

TEST_CASE("a Sequential is a member like any other link, and its copies are models of their own") {
  struct Net : Chain {
    Sequential body{*this, "body", links::Linear{3}, functions::relu, Sequential{links::Linear{2}}};
    Variable forward(const Variable& x) { return body(x); }
  };
  Net net;
  Net copy = net;
  net.forward(ones({1, 4}));
  CHECK(paths(net) == std::vector<std::string>{"body/0/W", "body/0/b", "body/1/0/W", "body/1/0/b"});
  CHECK_FALSE(copy.param("body/0/W").is_initialized());
  CHECK(copy.forward(ones({1, 6})).shape() == Shape{1, 2});
  CHECK(net.param("body/0/W").shape() == Shape{3, 4});
}

TEST_CASE("an error inside a Sequential names the number of the link") {
  Sequential net{links::Linear{3, 4}, functions::relu, links::Linear{5, 2}};
  try {
    net(ones({1, 3}));
    FAIL("no error");
  } catch (Error& error) {
    net.explain(error);
    CHECK_THAT(error.what(), Catch::StartsWith("1: linear"));
  }
}
