#include <limits>

#include <catch2/catch.hpp>

#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npz.h>
#include <renkei/lib/serializers/pickled_none.h>

#include "lib/serializers/archives.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;

namespace {

Value read_member(const std::string& image) {
  const TemporaryFolder folder;
  write_bytes(folder / "x.npz", archive({{"x.npy", image}}));
  return read_npz(folder / "x.npz").at("x");
}

std::string error_of_member(const std::string& image) {
  return error_text<FileError>([&] { read_member(image); });
}

Dictionary everything() {
  return {{"none", None{}},
          {"no_array", Array{}},
          {"flag", true},
          {"count", std::int64_t{-3}},
          {"largest", std::numeric_limits<std::int64_t>::max()},
          {"ratio", 0.1},
          {"nan", std::numeric_limits<double>::quiet_NaN()},
          {"text", std::string{"héllo 連携 😀"}},
          {"no_text", std::string{}},
          {"inner_nul", std::string{"a\0b", 3}},
          {"updater/model:main/l1/W", to_array<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
          {"連携", to_array<float>({-0.0f, std::numeric_limits<float>::infinity()}, {2})},
          {"f2", cast(to_array<float>({1.5f, 65504}, {2}), Dtype::float16)},
          {"f8", to_array<double>({1e300, -1e-300}, {2, 1})},
          {"i4", to_array<std::int32_t>({-5, 7}, {2})},
          {"i8", to_array<std::int64_t>({std::int64_t{1} << 40}, {1})},
          {"u1", to_array<std::uint8_t>({0, 255}, {2})},
          {"b1", to_array<bool>({true, false, true}, {3})},
          {"scalar_f4", to_array<float>({2.5f}, {})},
          {"empty", zeros({0}, Dtype::float32)},
          {"empty_2d", zeros({3, 0}, Dtype::int64)},
          {"8d", zeros({1, 2, 1, 2, 1, 2, 1, 2}, Dtype::float32)}};
}

}  // namespace

TEST_CASE("a dictionary comes back bit for bit, stored and deflated") {
  const TemporaryFolder folder;
  for (const bool compress : {false, true}) {
    const Dictionary written = everything();
    write_npz(folder / "x.npz", written, {.compress = compress});
    Dictionary wanted = written;
    wanted["no_array"] = None{};
    CHECK(differences(read_npz(folder / "x.npz"), wanted).empty());
  }
}

TEST_CASE("an empty dictionary is a file") {
  const TemporaryFolder folder;
  write_npz(folder / "x.npz", {});
  CHECK(read_npz(folder / "x.npz").empty());
}

TEST_CASE("the same dictionary gives the same bytes") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) write_npz(folder / name, everything());
  CHECK(read_bytes(folder / "a") == read_bytes(folder / "b"));
}

TEST_CASE("1000 random arrays come back, with right checksums") {
  const TemporaryFolder folder;
  Dictionary dictionary;
  std::uint64_t state = 1;
  const auto random = [&](std::int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state >> 33) % below;
  };
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::int64_t> extents(static_cast<std::size_t>(random(5)));
    for (auto& extent : extents) extent = random(6);
    const Shape shape{std::span{std::as_const(extents)}};
    std::vector<float> elements(static_cast<std::size_t>(shape.size()));
    for (float& element : elements) element = static_cast<float>(random(1000)) - 500;
    dictionary["a" + std::to_string(i)] = to_array(elements, shape);
  }
  for (const bool compress : {false, true}) {
    write_npz(folder / "x.npz", dictionary, {.compress = compress});
    CHECK(differences(read_npz(folder / "x.npz"), dictionary).empty());
  }
}

TEST_CASE("members are deflated when asked and when it helps") {
  const TemporaryFolder folder;
  write_npz(folder / "x.npz", {{"zeros", zeros({10000}, Dtype::float32)}}, {.compress = true});
  CHECK(list_npz(folder / "x.npz").at(0).deflated);
  CHECK(read_bytes(folder / "x.npz").size() < 1000);
  write_npz(folder / "x.npz", {{"zeros", zeros({10000}, Dtype::float32)}});
  CHECK_FALSE(list_npz(folder / "x.npz").at(0).deflated);
}

TEST_CASE("bfloat16, which numpy lacks, is written as float32 and loads into bfloat16 again") {
  const TemporaryFolder folder;
  Array array = cast(to_array<float>({1.5f, -3}, {2}), Dtype::bfloat16);
  write_npz(folder / "x.npz", {{"x", array}});
  const Dictionary dictionary = read_npz(folder / "x.npz");
  CHECK(identical(dictionary.at("x"), to_array<float>({1.5f, -3}, {2})));
  Array loaded = zeros({2}, Dtype::bfloat16);
  Serializer::loading(dictionary, "x.npz")("x", loaded);
  CHECK(identical(loaded, array));
}

TEST_CASE("text and keys that the format cannot hold are refused by name, and the file before stays") {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npz";
  write_npz(path, {{"x", 1.0}});
  check_error<ValueError>([&] { write_npz(path, {{"log", std::string{"\xff"}}}); }, {"log", "UTF-8"});
  check_error<ValueError>([&] { write_npz(path, {{"log", std::string{"a\0", 2}}}); }, {"log", "NUL"});
  check_error<ValueError>([&] { write_npz(path, {{std::string{"a\0b", 3}, 1.0}}); }, {"key"});
  check_error<ValueError>([&] { write_npz(path, {{"", 1.0}}); }, {"key"});
  CHECK(std::get<double>(read_npz(path).at("x")) == 1.0);
  CHECK(folder.names() == std::vector<std::string>{"x.npz"});
}

TEST_CASE("a column-major array keeps the place of its elements") {
  // [[0, 1, 2], [3, 4, 5]] saved column by column
  const std::string elements{"\0\3\1\4\2\5", 6};
  CHECK(identical(read_member(npy(dict("|u1", "(2, 3)", "True"), elements)),
                  to_array<std::uint8_t>({0, 1, 2, 3, 4, 5}, {2, 3})));
}

TEST_CASE("big-endian elements are swapped") {
  CHECK(identical(read_member(npy(dict(">i4", "(2,)"), std::string{"\0\0\0\1\xff\xff\xff\xfe", 8})),
                  to_array<std::int32_t>({1, -2}, {2})));
  CHECK(std::get<std::string>(read_member(npy(dict(">U2", "()"), std::string{"\0\0\x90\x23\0\0\0\0", 8}))) == "連");
}

TEST_CASE("types without a dtype of their own are widened without loss") {
  CHECK(identical(read_member(npy(dict("|i1", "(2,)"), "\x80\x7f")), to_array<std::int32_t>({-128, 127}, {2})));
  CHECK(identical(read_member(npy(dict("<u2", "(1,)"), "\xff\xff")), to_array<std::int32_t>({65535}, {1})));
  CHECK(identical(read_member(npy(dict("<u4", "(1,)"), "\xff\xff\xff\xff")),
                  to_array<std::int64_t>({4294967295}, {1})));
  CHECK(std::get<std::int64_t>(read_member(npy(dict("<u8", "()"), std::string{"\1\0\0\0\0\0\0\0", 8}))) == 1);
  CHECK_THAT(error_of_member(npy(dict("<u8", "(1,)"), std::string(8, '\xff'))),
             Catch::Contains("18446744073709551615") && Catch::Contains("member 'x.npy'"));
}

TEST_CASE("a bool that is neither 0 nor 1 is true") {
  CHECK(identical(read_member(npy(dict("|b1", "(3,)"), std::string{"\0\1\2", 3})),
                  to_array<bool>({false, true, true}, {3})));
}

TEST_CASE("types that nothing here can hold are named") {
  CHECK_THAT(error_of_member(npy(dict("<c8", "(1,)"), std::string(8, '\0'))),
             Catch::Contains("member 'x.npy'") && Catch::Contains("'<c8'") && Catch::Contains("float32"));
  CHECK_THAT(error_of_member(npy(dict("<f16", "(1,)"), std::string(16, '\0'))), Catch::Contains("'<f16'"));
  CHECK_THAT(error_of_member(npy(dict("<M8[ns]", "(1,)"), std::string(8, '\0'))), Catch::Contains("<M8[ns]"));
  CHECK_THAT(error_of_member(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd")),
             Catch::Contains("structured"));
  CHECK_THAT(error_of_member(npy(dict("<U1", "(1,)"), "a\0\0\0")), Catch::Contains("array of text"));
}

TEST_CASE("an integer file read as a double, or the other way round, names both types") {
  const TemporaryFolder folder;
  write_npz(folder / "x.npz", {{"x", to_array<std::int64_t>({1, 2}, {2})}, {"y", 0.5}});
  const Dictionary dictionary = read_npz(folder / "x.npz");
  Array doubles = zeros({2}, Dtype::float64);
  check_error<MismatchError>([&] { Serializer::loading(dictionary, "x.npz")("x", doubles); },
                             {"x.npz: x", "int64", "float64"});
  std::int64_t integer = 0;
  check_error<MismatchError>([&] { Serializer::loading(dictionary, "x.npz")("y", integer); }, {"0.5", "integer"});
}

TEST_CASE("only the pickle of None is understood; any other is refused unread") {
  const std::string header = dict("|O", "()");
  CHECK(std::holds_alternative<None>(read_member(npy(header, pickled_none()))));
  CHECK_THAT(error_of_member(npy(header, "cos\nsystem\n(S'ls'\ntR.")), Catch::Contains("other than None"));
  CHECK_THAT(error_of_member(npy(header, pickled_none() + ".")), Catch::Contains("other than None"));
  CHECK_THAT(error_of_member(npy(header, "")), Catch::Contains("other than None"));
  CHECK_THAT(error_of_member(npy(dict("|O", "(1,)"), pickled_none())), Catch::Contains("pickled"));
}

TEST_CASE("the pickles of None by NumPy 1 and 2 are known") {
  // Protocol 4 of NumPy 2.2.
  const std::string numpy2{
      "\x80\x04\x95\x87\x00\x00\x00\x00\x00\x00\x00\x8c\x16numpy._core.multiarray\x94\x8c\x0c_reconstruct\x94\x93\x94"
      "\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94" "C\x01" "b\x94\x87\x94R\x94(K\x01)h\x03\x8c\x05"
      "dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff"
      "K?t\x94" "b\x89]\x94Nat\x94" "b.", 146};
  CHECK(is_pickled_none(numpy2));
  CHECK(is_pickled_none(pickled_none()));
  CHECK_FALSE(is_pickled_none(numpy2.substr(0, 145)));
}
