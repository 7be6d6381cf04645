#include "api/json/writer.h"

#include <gtest/gtest.h>

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

TEST(AppendJsonString, EscapesWhatJsonForbids) {
  std::string out;
  AppendJsonString(out,
                   std::string_view("q\" b\\ n\n r\r t\t z\0 \x1f \x7f \u00e9 \U0001f600", 29));
  EXPECT_EQ(out, "\"q\\\" b\\\\ n\\n r\\r t\\t z\\u0000 \\u001f \x7f \u00e9 \U0001f600\"");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
