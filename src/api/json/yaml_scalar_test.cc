#include "api/json/yaml_scalar.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace BERTH_TEST_FILE {

struct PlainCase {
  const char* text;
  ScalarType type;
  const char* json;
};

class ResolvePlainTest : public testing::TestWithParam<PlainCase> {};

TEST_P(ResolvePlainTest, ReturnsTypeAndText) {
  const YamlScalar scalar = ResolvePlain(GetParam().text);
  EXPECT_EQ(scalar.type, GetParam().type);
  EXPECT_EQ(scalar.text, GetParam().json);
  EXPECT_TRUE(scalar.finite);
}

INSTANTIATE_TEST_SUITE_P(Null, ResolvePlainTest,
                         testing::Values(PlainCase{"", ScalarType::kNull, "null"},
                                         PlainCase{"~", ScalarType::kNull, "null"},
                                         PlainCase{"null", ScalarType::kNull, "null"},
                                         PlainCase{"NULL", ScalarType::kNull, "null"},
                                         PlainCase{"nULL", ScalarType::kString, "nULL"}));

INSTANTIATE_TEST_SUITE_P(Bool, ResolvePlainTest,
                         testing::Values(PlainCase{"true", ScalarType::kBool, "true"},
                                         PlainCase{"yes", ScalarType::kBool, "true"},
                                         PlainCase{"On", ScalarType::kBool, "true"},
                                         PlainCase{"y", ScalarType::kBool, "true"},
                                         PlainCase{"FALSE", ScalarType::kBool, "false"},
                                         PlainCase{"off", ScalarType::kBool, "false"},
                                         PlainCase{"No", ScalarType::kBool, "false"},
                                         PlainCase{"n", ScalarType::kBool, "false"},
                                         PlainCase{"yEs", ScalarType::kString, "yEs"},
                                         PlainCase{"yess", ScalarType::kString, "yess"}));

INSTANTIATE_TEST_SUITE_P(
    Int, ResolvePlainTest,
    testing::Values(
        PlainCase{"0", ScalarType::kInt, "0"}, PlainCase{"-0", ScalarType::kInt, "0"},
        PlainCase{"42", ScalarType::kInt, "42"}, PlainCase{"+42", ScalarType::kInt, "42"},
        PlainCase{"-42", ScalarType::kInt, "-42"}, PlainCase{"1_000", ScalarType::kInt, "1000"},
        PlainCase{"010", ScalarType::kInt, "8"}, PlainCase{"0o17", ScalarType::kInt, "15"},
        PlainCase{"0x1F", ScalarType::kInt, "31"}, PlainCase{"-0x10", ScalarType::kInt, "-16"},
        PlainCase{"0b101", ScalarType::kInt, "5"},
        PlainCase{"9223372036854775807", ScalarType::kInt, "9223372036854775807"},
        PlainCase{"-9223372036854775808", ScalarType::kInt, "-9223372036854775808"},
        PlainCase{"18446744073709551615", ScalarType::kInt, "18446744073709551615"}));

INSTANTIATE_TEST_SUITE_P(
    FloatKeepsItsDigits, ResolvePlainTest,
    testing::Values(
        PlainCase{"0.10", ScalarType::kFloat, "0.10"}, PlainCase{"1e3", ScalarType::kFloat, "1e3"},
        PlainCase{"-1.5E+3", ScalarType::kFloat, "-1.5E+3"},
        PlainCase{"+1.5", ScalarType::kFloat, "1.5"}, PlainCase{".5", ScalarType::kFloat, "0.5"},
        PlainCase{"-.5e-1", ScalarType::kFloat, "-0.5e-1"},
        PlainCase{"1.", ScalarType::kFloat, "1"}, PlainCase{"1.e3", ScalarType::kFloat, "1e3"},
        PlainCase{"09", ScalarType::kFloat, "9"}, PlainCase{"00.50", ScalarType::kFloat, "0.50"},
        PlainCase{"1_0.5", ScalarType::kFloat, "10.5"},
        PlainCase{"18446744073709551616", ScalarType::kFloat, "18446744073709551616"},
        PlainCase{"-123456789012345678901234567890", ScalarType::kFloat,
                  "-123456789012345678901234567890"}));

INSTANTIATE_TEST_SUITE_P(
    String, ResolvePlainTest,
    testing::Values(
        PlainCase{"web", ScalarType::kString, "web"},
        PlainCase{"100m", ScalarType::kString, "100m"},
        PlainCase{"1Gi", ScalarType::kString, "1Gi"},
        PlainCase{"1.2.3", ScalarType::kString, "1.2.3"},
        PlainCase{"10:30", ScalarType::kString, "10:30"}, PlainCase{"-", ScalarType::kString, "-"},
        PlainCase{"+", ScalarType::kString, "+"}, PlainCase{".", ScalarType::kString, "."},
        PlainCase{"--1", ScalarType::kString, "--1"}, PlainCase{"0x", ScalarType::kString, "0x"},
        PlainCase{"0xg", ScalarType::kString, "0xg"}, PlainCase{"0o9", ScalarType::kString, "0o9"},
        PlainCase{"0-1", ScalarType::kString, "0-1"}, PlainCase{"1e", ScalarType::kString, "1e"},
        PlainCase{"1e400", ScalarType::kString, "1e400"},
        PlainCase{"2026-03-01", ScalarType::kString, "2026-03-01"},
        PlainCase{"2026-03-01T08:00:04Z", ScalarType::kString, "2026-03-01T08:00:04Z"}));

TEST(ResolvePlain, RecognizesNumbersThatJsonLacks) {
  for (const auto& [text, name] : {std::pair{".inf", ".inf"}, std::pair{"+.INF", ".inf"},
                                   std::pair{"-.Inf", "-.inf"}, std::pair{".NaN", ".nan"}}) {
    EXPECT_EQ(ResolvePlain(text),
              (YamlScalar{.type = ScalarType::kFloat, .text = name, .finite = false}))
        << text;
  }
}

TEST(ResolveTagged, TheTagDecides) {
  const std::string yaml = "tag:yaml.org,2002:";
  struct Case {
    const char* text;
    const char* tag;
    ScalarType type;
    const char* json;
  };
  for (const Case& c :
       {Case{"5", "str", ScalarType::kString, "5"}, Case{"5", "int", ScalarType::kInt, "5"},
        Case{"5", "float", ScalarType::kFloat, "5"}, Case{"yes", "bool", ScalarType::kBool, "true"},
        Case{"~", "null", ScalarType::kNull, "null"},
        Case{"2026-03-01", "timestamp", ScalarType::kString, "2026-03-01"}}) {
    const auto scalar = ResolveTagged(c.text, yaml + c.tag);
    ASSERT_TRUE(scalar.has_value()) << scalar.error().message;
    EXPECT_EQ(*scalar, (YamlScalar{.type = c.type, .text = c.json, .finite = true})) << c.tag;
  }
  EXPECT_EQ(ResolveTagged("5", "!mine")->type, ScalarType::kString);
  EXPECT_EQ(ResolveTagged("abc", yaml + "int").error().message, R"(cannot read "abc" as !!int)");
  EXPECT_EQ(ResolveTagged("1.5", yaml + "int").error().message, R"(cannot read "1.5" as !!int)");
  EXPECT_FALSE(ResolveTagged("AAAA", yaml + "binary").has_value());
}

TEST(KeyText, ConvertsAllScalarsExceptNull) {
  struct Case {
    const char* text;
    const char* key;
  };
  for (const Case& c : {Case{"a", "a"}, Case{"n", "false"}, Case{"yes", "true"}, Case{"0x10", "16"},
                        Case{"1_000", "1000"}, Case{"0.10", "0.1"}, Case{"1.50", "1.5"},
                        Case{"1e3", "1000"}, Case{"123456.0", "123456"}, Case{"1e6", "1e+06"},
                        Case{"0.00001", "1e-05"}, Case{".inf", ".inf"}, Case{"1e300", ".inf"}}) {
    EXPECT_EQ(KeyText(ResolvePlain(c.text)).value(), c.key) << c.text;
  }
  EXPECT_FALSE(KeyText(ResolvePlain("~")).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
