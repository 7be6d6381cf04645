#include "api/json/parse.h"

#include <gtest/gtest.h>

#include <boost/json/monotonic_resource.hpp>

#include "api/json/writer.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(ParseJson, ReadsDocuments) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"-0.50e+3", "-500"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"[ 1 , [ ] , {} ]", "[1,[],{}]"},
      {R"({"b":1,"a":2,"b":3})", R"({"b":3,"a":2})"},
      {R"("a\"\\\/\n\u0041\ud83d\ude00")", "\"a\\\"\\\\/\\nA\U0001f600\""},
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
    const char* place;
  } cases[] = {
      {"", "line 1, column 1: "},          {"{\n  \"a\": 1,\n}", "line 3, column 1: "},
      {"{\"a\" 1}", "line 1, column 6: "}, {"[1 2]", "line 1, column 4: "},
      {"1 2", "line 1, column 3: "},       {"\"\xff\"", "line 1, column 2: "},
  };
  for (const auto& c : cases) {
    const auto json = ParseJson(c.text);
    ASSERT_FALSE(json.has_value()) << c.text;
    EXPECT_TRUE(json.error().message.starts_with(c.place)) << json.error().message;
  }
}

TEST(ParseJson, RefusesNumbersThatNoDoubleHolds) {
  for (const char* text : {"1e999", "[{\"a\":-1e400}]"}) {
    const auto json = ParseJson(text);
    ASSERT_FALSE(json.has_value()) << text;
    EXPECT_EQ(json.error().message, "a number is out of range");
  }
}

TEST(ParseJson, StopsAtTheGivenDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(200)).has_value());
  EXPECT_FALSE(ParseJson(nested(201)).has_value());
  EXPECT_FALSE(ParseJson(nested(3), {.max_depth = 2}).has_value());
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '[')).has_value());
}

TEST(ParseJson, AllocatesInTheGivenStorage) {
  boost::json::monotonic_resource memory;
  const auto json = ParseJson("[1]", {.storage = &memory});
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ(json->storage().get(), &memory);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
