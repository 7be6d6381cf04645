#include "api/json/json_text.h"

#include <gtest/gtest.h>

#include <string>

#include "api/field_errors.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(IsJsonNumber, FollowsTheGrammar) {
  for (const char* text : {"0", "-0", "12", "1.5", "0.10", "1e3", "1E+3", "2.5e-3"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const char* text :
       {"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "0x10", "1 ", "1_0", "NaN"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

TEST(ParseJsonInteger, AcceptsIntegersInAnyNotation) {
  struct Case {
    const char* text;
    int64_t value;
  };
  for (const Case& c :
       {Case{"0", 0}, Case{"-0", 0}, Case{"42", 42}, Case{"9223372036854775807", INT64_MAX},
        Case{"-9223372036854775808", INT64_MIN}, Case{"1e3", 1000}, Case{"2.0", 2},
        Case{"1.5e1", 15}, Case{"1200e-2", 12}, Case{"0.0e99999999999999999999", 0},
        Case{"-25e1", -250}, Case{"9.223372036854775807e18", INT64_MAX}}) {
    const auto number = ParseJsonInteger(c.text);
    ASSERT_TRUE(number.has_value()) << c.text;
    EXPECT_FALSE(number->overflow) << c.text;
    EXPECT_EQ(number->value, c.value) << c.text;
  }
}

TEST(ParseJsonInteger, DistinguishesFractionsFromOverflow) {
  for (const char* text : {"1.5", "1e-1", "0.001e2", "1e-99999999999999999999"}) {
    EXPECT_FALSE(ParseJsonInteger(text).has_value()) << text;
  }
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "1e19", "1e400",
                           "1e99999999999999999999", "123456789012345678901234567890"}) {
    const auto number = ParseJsonInteger(text);
    ASSERT_TRUE(number.has_value()) << text;
    EXPECT_TRUE(number->overflow) << text;
  }
}

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

// A path for each of them would take 60 GB.
TEST(DuplicateKeysTest, AreLimitedInNumberAndBytes) {
  std::string json = "{\"" + std::string(1'000'000, 'k') + "\":{";
  for (int i = 0; i < 60'000; ++i) {
    const std::string member = "\"" + std::to_string(i) + "\":0,";
    json += member + member;
  }
  json.back() = '}';
  json += '}';
  const std::vector<std::string> paths = DuplicateKeys(json);
  EXPECT_EQ(paths.size(), kMaxReportedErrors);
  for (const std::string& path : paths) EXPECT_LE(path.size(), kMaxQuotedBytes + 3);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
