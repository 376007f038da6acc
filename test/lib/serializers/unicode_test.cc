#include <catch2/catch.hpp>

#include <renkei/lib/serializers/unicode.h>

using namespace renkei;

TEST_CASE("text of every length of encoding comes back") {
  const std::u32string points = U"a\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff";
  const auto text = utf8_of(points);
  REQUIRE(text);
  CHECK(text->size() == 2 + 4 + 12 + 8);
  CHECK(utf32_of(*text) == points);
}

TEST_CASE("what is not UTF-8 is refused") {
  for (const char* bad : {"\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", 
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\xe9\x80", "\xff", "ok\xfe"})
    CHECK_FALSE(utf32_of(bad));
  CHECK(utf32_of("")->empty());
}

TEST_CASE("surrogates and values beyond Unicode are refused") {
  for (const char32_t bad : {char32_t{0xd800}, char32_t{0xdfff}, char32_t{0x110000}, char32_t{0xffffffff}})
    CHECK_FALSE(utf8_of(std::u32string(1, bad)));
}
