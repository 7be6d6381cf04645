#include "apiserver/raw_json.h"

#include <gtest/gtest.h>

#include "apiserver/continue_token.h"
#include "kinds/base64.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

struct MemberCase {
  const char* name;
  const char* json;
  const char* key;
  const char* want;
};

class RawMemberTest : public testing::TestWithParam<MemberCase> {};

TEST_P(RawMemberTest, IsFoundWithoutParsing) {
  EXPECT_EQ(RawMember(GetParam().json, GetParam().key), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Members, RawMemberTest,
    testing::Values(MemberCase{"String", R"({"a":"x"})", "a", R"("x")"},
                    MemberCase{"Second", R"({"a":1,"b":{"c":[1,{}]},"d":2})", "b",
                               R"({"c":[1,{}]})"},
                    MemberCase{"Last", R"({"a":[],"b":true})", "b", "true"},
                    MemberCase{"Escapes", R"({"a":"}\",\\","b":"\\"})", "b", R"("\\")"},
                    MemberCase{"BracesInStrings", R"({"a":{"x":"}]"},"b":5})", "b", "5"},
                    MemberCase{"Spaces", " { \"a\" : [ 1 , 2 ] , \"b\" : null } ", "b", "null"},
                    MemberCase{"NotNested", R"({"a":{"b":1}})", "b", ""},
                    MemberCase{"PrefixOfAKey", R"({"ab":1})", "a", ""},
                    MemberCase{"EmptyObject", "{}", "a", ""}, MemberCase{"NoObject", "[]", "a", ""},
                    MemberCase{"Nothing", "", "a", ""}, MemberCase{"Cut", R"({"a":{"b")", "b", ""},
                    MemberCase{"CutKey", R"({"a)", "a", ""}),
    [](const auto& test) { return test.param.name; });

TEST(DuplicateKeysTest, AreFoundWithTheirPaths) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(DuplicateKeys(R"({"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]})"), Paths{});
  EXPECT_EQ(DuplicateKeys(R"({"a":1,"b":2,"a":3,"a":4})"), Paths{"a"});
  EXPECT_EQ(DuplicateKeys(R"({"s":{"c":[{"x":1},{"n":{"y":1,"y":1},"n":2}]}})"),
            (Paths{"s.c[1].n.y", "s.c[1].n"}));
  EXPECT_EQ(DuplicateKeys("[]"), Paths{});
  EXPECT_EQ(DuplicateKeys("5"), Paths{});
  EXPECT_EQ(DuplicateKeys(R"({"":1,"":2})"), Paths{""});
}

TEST(Base64Test, EncodesAndDecodes) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("a"), "YQ==");
  EXPECT_EQ(EncodeBase64("ab"), "YWI=");
  EXPECT_EQ(EncodeBase64("abc"), "YWJj");
  EXPECT_EQ(EncodeBase64("\xfb\xff"), "+/8=");
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
  EXPECT_EQ(DecodeBase64Url("-_8"), "\xfb\xff");
  EXPECT_EQ(DecodeBase64Url("YWJj"), "abc");
  EXPECT_EQ(DecodeBase64Url("YQ=="), std::nullopt);
  EXPECT_EQ(DecodeBase64Url("Y"), std::nullopt);
  EXPECT_EQ(DecodeBase64Url("YR"), std::nullopt);
}

TEST(ContinueTokenTest, ComesBackAsItWas) {
  const ContinueToken token{1234, {"default", "web-1"}};
  const std::string text = EncodeContinue(KindOf("pods"), "default", token);
  EXPECT_EQ(DecodeContinue(KindOf("pods"), "default", text), token);
}

TEST(ContinueTokenTest, IsGoodForItsListOnly) {
  const std::string text = EncodeContinue(KindOf("pods"), "default", {1234, {"default", "web-1"}});
  EXPECT_EQ(DecodeContinue(KindOf("pods"), "", text), std::nullopt);
  EXPECT_EQ(DecodeContinue(KindOf("services"), "default", text), std::nullopt);
}

TEST(ContinueTokenTest, DamageIsNoticed) {
  const std::string text = EncodeContinue(KindOf("pods"), "", {1234, {"default", "web-1"}});
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(DecodeContinue(KindOf("pods"), "", damaged), std::nullopt) << i;
    EXPECT_EQ(DecodeContinue(KindOf("pods"), "", text.substr(0, i)), std::nullopt) << i;
  }
  EXPECT_EQ(DecodeContinue(KindOf("pods"), "", "YWJj"), std::nullopt);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
