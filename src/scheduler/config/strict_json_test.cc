#include "scheduler/config/strict_json.h"

#include <gtest/gtest.h>

#include "api/json/writer.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

// As JSON again, without the spaces between tokens.
std::string Text(const StrictJson& json) {
  using enum StrictJson::Kind;
  if (json.kind == kString) {
    std::string out;
    api::AppendJsonString(out, json.text);
    return out;
  }
  std::string parts;
  for (const StrictJson& item : json.items) parts += (parts.empty() ? "" : ",") + Text(item);
  for (const StrictJsonMember& member : json.members) {
    parts += (parts.empty() ? "\"" : ",\"") + member.name + "\":" + Text(member.value);
  }
  if (json.kind == kArray) return "[" + parts + "]";
  if (json.kind == kObject) return "{" + parts + "}";
  return std::string(json.raw);
}

TEST(ParseStrictJson, PreservesRepeatedKeysAndNumberTexts) {
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
    const auto json = ParseStrictJson(c.text);
    ASSERT_TRUE(json.has_value()) << c.text << ": " << json.error().message;
    EXPECT_EQ(Text(*json), c.want);
  }
}

TEST(ParseStrictJson, ErrorsNameThePosition) {
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
    const auto json = ParseStrictJson(c.text);
    ASSERT_FALSE(json.has_value()) << c.text;
    EXPECT_EQ(json.error().message, c.want) << c.text;
  }
}

TEST(ParseStrictJson, StopsAtDepth200) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseStrictJson(nested(200)).has_value());
  EXPECT_FALSE(ParseStrictJson(nested(201)).has_value());
  EXPECT_FALSE(ParseStrictJson(std::string(1'000'000, '[')).has_value());
}

TEST(StrictJson, HasTheTextOfEachValue) {
  const auto json = ParseStrictJson(R"( {"a": [1, {"b" : "\u0041"}] , "c":null} )");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->raw, R"({"a": [1, {"b" : "\u0041"}] , "c":null})");
  EXPECT_EQ(json->Find("a")->raw, R"([1, {"b" : "\u0041"}])");
  EXPECT_EQ(json->Find("a")->items[1].Find("b")->raw, R"("\u0041")");
  EXPECT_EQ(json->Find("c")->raw, "null");
}

TEST(StrictJson, FindsTheLastMemberOfAName) {
  const auto json = ParseStrictJson(R"({"a":1,"b":2,"a":3})");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->Find("a")->text, "3");
  EXPECT_EQ(json->Find("c"), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
