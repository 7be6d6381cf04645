#include "api/json/json_value.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(ParseJson, PreservesTheText) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"-0.50e+3", "-0.50e+3"},
      {"18446744073709551616", "18446744073709551616"},
      {"[]", "[]"},
      {"[ 1 , [ ] , {} ]", "[1,[],{}]"},
      {R"({"b":1,"a":2,"b":3})", R"({"b":1,"a":2,"b":3})"},
      {R"("a\"\\\/\n\u0041")", R"("a\"\\/\nA")"},
      {R"("\u00e9\u20ac\ud83d\ude00")", "\"\u00e9\u20ac\U0001f600\""},
      {R"("\ud83d \ud83dx \ude00 \ud83d\u0041")", "\"\ufffd \ufffdx \ufffd \ufffdA\""},
  };
  for (const auto& c : cases) {
    const auto json = ParseJson(c.text);
    ASSERT_TRUE(json.has_value()) << c.text << ": " << json.error().message;
    EXPECT_EQ(ToJsonText(*json), c.want);
  }
}

TEST(ParseJson, ErrorsNameThePosition) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", "line 1, column 1: unexpected end of JSON input"},
      {"{\n  \"a\": 1,\n}", "line 3, column 1: invalid character: '}', expected a key in quotes"},
      {"{\"a\" 1}", "line 1, column 6: invalid character: '1', expected ':'"},
      {"[1 2]", "line 1, column 4: invalid character: '2', expected ',' or ']'"},
      {"{\"a\":1", "line 1, column 7: unexpected end of JSON input"},
      {"\"a", "line 1, column 3: unexpected end of JSON input"},
      {"\"a\nb\"", "line 1, column 3: invalid character: byte, expected the rest of a string"},
      {R"("\x")", "line 1, column 3: invalid character: 'x', expected an escape"},
      {R"("\u12g4")", "line 1, column 6: invalid character: 'g', expected a hexadecimal digit"},
      {"1 2", "line 1, column 3: unexpected text after the document"},
      {"01", "line 1, column 2: unexpected text after the document"},
      {"1.", "line 1, column 3: unexpected end of JSON input"},
      {"-", "line 1, column 2: unexpected end of JSON input"},
      {"+1", "line 1, column 1: invalid character: '+', expected a value"},
      {"nul", "line 1, column 1: invalid character: 'n', expected a value"},
      {"\"\xff\"", "the text is not valid UTF-8"},
  };
  for (const auto& c : cases) {
    const auto json = ParseJson(c.text);
    ASSERT_FALSE(json.has_value()) << c.text;
    EXPECT_EQ(json.error().message, c.want) << c.text;
  }
}

TEST(ParseJson, StopsAtDepth200) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(200)).has_value());
  EXPECT_FALSE(ParseJson(nested(201)).has_value());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).has_value());
}

TEST(JsonValue, FindsTheLastMemberOfAName) {
  const auto json = ParseJson(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->Find("a")->text, "3");
  EXPECT_EQ(json->Find("c"), nullptr);
}

TEST(ToYamlText, WritesBlocksWithSortedKeys) {
  const auto json = ParseJson(R"({
    "profiles": [{"schedulerName": "a", "plugins": {"score": {"disabled": [{"name": "*"}]}}}, {}],
    "empty": [],
    "kind": "K",
    "matrix": [[1, 2], ["x"]]
  })");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(ToYamlText(*json), R"(empty: []
kind: K
matrix:
- - 1
  - 2
- - x
profiles:
- plugins:
    score:
      disabled:
      - name: "*"
  schedulerName: a
- {}
)");
}

TEST(ToYamlText, QuotesWhatIsNotPlainlyAString) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"kube-system", "kube-system\n"},
      {"http://127.0.0.1:80/x", "http://127.0.0.1:80/x\n"},
      {"/etc/kubernetes/scheduler.conf", "/etc/kubernetes/scheduler.conf\n"},
      {"1m30.5s", "1m30.5s\n"},
      {"", "\"\"\n"},
      {"Yes", "\"Yes\"\n"},
      {"null", "\"null\"\n"},
      {"n", "\"n\"\n"},
      {"12", "\"12\"\n"},
      {"1e3", "\"1e3\"\n"},
      {"-1s", "\"-1s\"\n"},
      {"a: b", "\"a: b\"\n"},
      {"a:", "\"a:\"\n"},
      {"a #b", "\"a #b\"\n"},
      {"a\nb", "\"a\\nb\"\n"},
      {"\u00e9\u2028\U0001f600\x7f", "\"\\U000000e9\\U00002028\\U0001f600\\U0000007f\"\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(ToYamlText(JsonValue::String(c.text)), c.want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
