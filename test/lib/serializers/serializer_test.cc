#include <catch2/catch.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/serializer.h>

using namespace renkei;
using Catch::Contains;

namespace {

struct Part {
  Array W = to_array<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  std::int64_t t = 7;
  void serialize(Serializer& s) {
    s("W", W);
    s("t", t);
  }
};

struct Whole {
  bool flag = true;
  int small = -3;
  double ratio = 0.25;
  std::string label = "héllo";
  Array none;
  Part part;
  void serialize(Serializer& s) {
    s("flag", flag);
    s("small", small);
    s("ratio", ratio);
    s("label", label);
    s("none", none);
    s.object("part:main", part);
  }
};

template <class Object>
Dictionary saved(Object object) {
  Dictionary dictionary;
  Serializer s = Serializer::saving(dictionary);
  object.serialize(s);
  return dictionary;
}

template <class Object>
LoadReport load(const Dictionary& dictionary, Object& object, LoadOptions options = {}) {
  Serializer s = Serializer::loading(dictionary, "result/model.npz", std::move(options));
  object.serialize(s);
  return s.finish();
}

template <class T>
void load_one(const Value& stored, T& value) {
  const Dictionary dictionary{{"key", stored}};
  Serializer s = Serializer::loading(dictionary, "file");
  s("key", value);
}

}  // namespace

TEST_CASE("an object comes back as it was saved") {
  const Dictionary dictionary = saved(Whole{});
  CHECK(dictionary.contains("part:main/W"));
  CHECK(std::holds_alternative<None>(dictionary.find("none")->second));
  Whole other{false, 0, 0, "", {}, {zeros({2, 3}, Dtype::float32), 0}};
  load(dictionary, other);
  CHECK(other.flag);
  CHECK(other.small == -3);
  CHECK(other.ratio == 0.25);
  CHECK(other.label == "héllo");
  CHECK_FALSE(other.none);
  CHECK(to_vector<float>(other.part.W) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(other.part.t == 7);
}

TEST_CASE("an array is loaded in place, and one that does not exist is a copy of the file's") {
  const Array source = to_array<float>({1, 2}, {2});
  const Dictionary dictionary{{"x", source}};
  Array existing = zeros({2}, Dtype::float32), fresh;
  const Array view = existing;
  for (Array* target : {&existing, &fresh}) Serializer::loading(dictionary, "file")("x", *target);
  CHECK(to_vector<float>(view) == std::vector<float>{1, 2});
  CHECK_FALSE(fresh.is(source));
  CHECK(to_vector<float>(fresh) == std::vector<float>{1, 2});
}

TEST_CASE("a mismatch names the file, the whole key and both sides") {
  Whole whole;
  Dictionary dictionary = saved(whole);
  SECTION("shape") {
    dictionary["part:main/W"] = zeros({3, 2}, Dtype::float32);
    CHECK_THROWS_WITH(load(dictionary, whole),
                      "result/model.npz: part:main/W: the file has shape (3, 2), the object (2, 3)");
  }
  SECTION("a shape that numpy would broadcast") {
    dictionary["part:main/W"] = zeros({1, 3}, Dtype::float32);
    CHECK_THROWS_WITH(load(dictionary, whole), Contains("(1, 3)") && Contains("(2, 3)"));
  }
  SECTION("dtype") {
    dictionary["part:main/W"] = zeros({2, 3}, Dtype::int64);
    CHECK_THROWS_WITH(load(dictionary, whole), Contains("int64") && Contains("float32"));
  }
  SECTION("kind") {
    dictionary["small"] = std::string{"text"};
    CHECK_THROWS_WITH(load(dictionary, whole),
                      "result/model.npz: small: the file has text of 4 bytes, the object an integer");
  }
  SECTION("missing") {
    dictionary.erase("part:main/t");
    CHECK_THROWS_AS(load(dictionary, whole), MismatchError);
    CHECK_THROWS_WITH(load(dictionary, whole), Contains("result/model.npz: part:main/t: not in the file"));
  }
  SECTION("unexpected") {
    dictionary["part:main/w9"] = zeros({4}, Dtype::float32);
    CHECK_THROWS_WITH(load(dictionary, whole), Contains("part:main/w9") && Contains("(4,)"));
  }
}

TEST_CASE("a load that is not strict reports what it passed over and loads the rest") {
  Whole whole;
  Dictionary dictionary = saved(whole);
  dictionary.erase("ratio");
  dictionary["part:main/w9"] = 1.0;
  dictionary["label"] = std::string{"other"};
  dictionary["part:main/t"] = std::int64_t{8};
  whole.ratio = 3;
  const LoadReport report = load(dictionary, whole,
                                 {.allow_missing = true, .allow_extra = true, .ignore_names = {"label"},
                                  .ignore = [](std::string_view key) { return key == "part:main/W"; }});
  CHECK(report.missing == std::vector<std::string>{"ratio"});
  CHECK(report.extra == std::vector<std::string>{"part:main/w9"});
  CHECK(report.ignored == std::vector<std::string>{"label", "part:main/W"});
  CHECK(whole.ratio == 3);
  CHECK(whole.label == "héllo");
  CHECK(whole.part.t == 8);
}

TEST_CASE("a part of a file is loaded by its path, with and without the slash") {
  const Dictionary dictionary = saved(Whole{});
  for (const char* path : {"part:main", "part:main/"}) {
    Part part{zeros({2, 3}, Dtype::float32), 0};
    load(dictionary, part, {.path = path});
    CHECK(part.t == 7);
    CHECK(to_double(part.W.reshape({6}).slice(5, 6)) == 6);
  }
}

TEST_CASE("numbers fit where nothing is lost") {
  double number = 0;
  std::int64_t integer = 0;
  int small = 0;
  load_one(std::int64_t{3}, number);
  CHECK(number == 3);
  load_one(to_array<float>({0.5f}, {}), number);
  CHECK(number == 0.5);
  load_one(to_array<std::int32_t>({-4}, {}), integer);
  CHECK(integer == -4);
  CHECK_THROWS_WITH(load_one(2.5, integer), Contains("number 2.5") && Contains("integer"));
  CHECK_THROWS_AS(load_one(true, integer), MismatchError);
  CHECK_THROWS_WITH(load_one(std::int64_t{1} << 40, small), Contains("1099511627776"));
  CHECK_THROWS_AS(load_one(to_array<float>({1, 2}, {2}), number), MismatchError);
  bool flag = false;
  CHECK_THROWS_AS(load_one(std::int64_t{1}, flag), MismatchError);
}

TEST_CASE("floating arrays are converted to the type of the object, scalars to arrays of shape ()") {
  Array half = zeros({2}, Dtype::float16), scalar = zeros({}, Dtype::float32);
  load_one(to_array<double>({1.5, -2}, {2}), half);
  CHECK(to_vector<float>(cast(half, Dtype::float32)) == std::vector<float>{1.5f, -2});
  load_one(0.75, scalar);
  CHECK(to_double(scalar) == 0.75);
  Array untouched = full({1}, 9, Dtype::float32);
  load_one(None{}, untouched);
  CHECK(to_double(untouched) == 9);
}

TEST_CASE("optional entries may be absent") {
  const Dictionary dictionary{{"lr", 0.5}};
  Serializer s = Serializer::loading(dictionary, "file");
  double lr = 0, eps = 1;
  CHECK(s.optional("lr", lr));
  CHECK_FALSE(s.optional("eps", eps));
  CHECK(lr == 0.5);
  CHECK(eps == 1);
  CHECK(s.finish().missing.empty());
}

TEST_CASE("a key saved twice is refused") {
  Dictionary dictionary;
  Serializer s = Serializer::saving(dictionary);
  Serializer part = s.child("/a/");
  part.save("x", 1.0);
  CHECK_THROWS_WITH(s.save("a/x", 2.0), Contains("a/x"));
}

TEST_CASE("whether a part of a file is there can be asked") {
  const Dictionary dictionary{{"a/b/c", 1.0}, {"ab", 2.0}};
  const Serializer s = Serializer::loading(dictionary, "file");
  CHECK(s.contains_below("a"));
  CHECK(s.contains_below("a/b"));
  CHECK_FALSE(s.contains_below("ab"));
  CHECK_FALSE(s.contains_below("a/b/c"));
  CHECK(s.child("a").contains("b/c"));
  CHECK_FALSE(s.contains("a"));
}
