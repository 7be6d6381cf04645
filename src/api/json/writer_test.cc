#include "api/json/writer.h"

#include <gtest/gtest.h>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(JsonWriter, PutsCommasBetweenValues) {
  JsonWriter json;
  json.BeginObject();
  json.Key("list");
  json.BeginArray();
  json.Int(-1);
  json.String("[");
  json.Bool(true);
  json.BeginObject();
  json.EndObject();
  json.BeginArray();
  json.EndArray();
  json.EndArray();
  json.Key("none");
  json.Null();
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"list":[-1,"[",true,{},[]],"none":null})");
}

TEST(JsonWriter, RewindDropsEverythingWrittenSince) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a");
  json.Int(1);
  const size_t mark = json.mark();
  json.Key("b");
  json.BeginObject();
  EXPECT_TRUE(json.at_start());
  json.EndObject();
  json.Rewind(mark);
  json.EndObject();
  EXPECT_EQ(json.Take(), R"({"a":1})");
}

TEST(ToJsonText, WritesNumbersAsGoDoes) {
  const struct {
    Json value;
    const char* want;
  } cases[] = {
      {Json(0.0), "0"},
      {Json(2.0), "2"},
      {Json(0.1), "0.1"},
      {Json(-12.5), "-12.5"},
      {Json(100000.0), "100000"},
      {Json(1e-6), "0.000001"},
      {Json(1e-7), "1e-7"},
      {Json(1.5e-10), "1.5e-10"},
      {Json(1e20), "100000000000000000000"},
      {Json(1e21), "1e+21"},
      {Json(-1), "-1"},
      {Json(1.25e300), "1.25e+300"},
      {Json(UINT64_MAX), "18446744073709551615"},
  };
  for (const auto& c : cases) EXPECT_EQ(ToJsonText(c.value), c.want);
}

TEST(AppendJson, RefusesDocumentsThatAreTooDeep) {
  std::string out;
  const Json nested = JsonArray{JsonObject{{"a", JsonArray()}}};
  EXPECT_TRUE(AppendJson(out, nested, 3));
  EXPECT_EQ(out, R"([{"a":[]}])");
  EXPECT_FALSE(AppendJson(out, nested, 2));
}

TEST(ToPrettyJson, IndentsByTwoSpaces) {
  const JsonObject document{{"a", JsonArray{1, JsonObject{{"b", nullptr}}}},
                            {"c", JsonObject()},
                            {"d", JsonArray()},
                            {"e\n", "x"}};
  EXPECT_EQ(ToPrettyJson(document), R"({
  "a": [
    1,
    {
      "b": null
    }
  ],
  "c": {},
  "d": [],
  "e\n": "x"
})");
}

TEST(AppendJsonString, EscapesWhatJsonForbids) {
  std::string out;
  AppendJsonString(out,
                   std::string_view("q\" b\\ n\n r\r t\t z\0 \x1f \x7f \u00e9 \U0001f600", 29));
  EXPECT_EQ(out, "\"q\\\" b\\\\ n\\n r\\r t\\t z\\u0000 \\u001f \x7f \u00e9 \U0001f600\"");
}

TEST(CanonicalJson, IsTheSameForEqualDocuments) {
  const Json a = *ParseJson(R"({"b":[1,{"d":"x","c":null}],"a":{}})");
  const Json b = *ParseJson(R"({"a":{},"b":[1,{"c":null,"d":"x"}]})");
  EXPECT_EQ(ToCanonicalJson(a), R"({"a":{},"b":[1,{"c":null,"d":"x"}]})");
  EXPECT_EQ(ToCanonicalJson(b), ToCanonicalJson(a));
  EXPECT_EQ(ToCanonicalJson(*ParseJson("[[],[[]],\"[\",true]")), R"([[],[[]],"[",true])");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
