#include "apiserver/crd/json_path.h"

#include <gtest/gtest.h>

#include "api/json/writer.h"
#include "apiserver/crd/crd_testing.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

constexpr std::string_view kDocument =
    "{'metadata':{'labels':{'app':'web','a.b/c':'d'}},"
    "'spec':{'replicas':3,'items':[{'n':'x','v':1},{'n':'y','v':2},{'n':'z','v':3}]},"
    "'status':{'conditions':[{'type':'Synced','status':'False'},{'type':'Ready','status':'True'}]}"
    "}";

struct PathCase {
  const char* path;
  const char* want;  // JSON; "none" if there is no value, "invalid" if the path is not supported.
};

class JsonPathTest : public testing::TestWithParam<PathCase> {};

TEST_P(JsonPathTest, FindsTheFirstValue) {
  const api::Json document = Quoteless(kDocument);
  const auto path = JsonPath::Parse(GetParam().path);
  const api::Json* found = path ? path->Find(document) : nullptr;
  EXPECT_EQ(!path ? "invalid" : found ? api::ToJsonText(*found) : "none", GetParam().want);
}

const PathCase kPaths[] = {
    {".spec.replicas", "3"},
    {".spec.missing.deeper", "none"},
    {".metadata.labels['app']", "\"web\""},
    {".metadata.labels.a\\.b/c", "\"d\""},
    {".spec.items[1].n", "\"y\""},
    {".spec.items[-1].n", "\"z\""},
    {".spec.items[-1:].n", "\"z\""},
    {".spec.items[1:].n", "\"y\""},
    {".spec.items[9].n", "none"},
    {".spec.items[*].n", "\"x\""},
    {".status.conditions[?(@.type==\"Ready\")].status", "\"True\""},
    {".status.conditions[?(@.type=='Ready')].status", "\"True\""},
    {".status.conditions[?(@.type != 'Synced')].type", "\"Ready\""},
    {".status.conditions[?(@.reason)].type", "none"},
    {".spec.items[?(@.v>1)].n", "\"y\""},
    {".spec.items[?(@.v>=3)].n", "\"z\""},
    {".",
     "{\"metadata\":{\"labels\":{\"app\":\"web\",\"a.b/c\":\"d\"}},\"spec\":{\"replicas\":3,"
     "\"items\":[{\"n\":\"x\",\"v\":1},{\"n\":\"y\",\"v\":2},{\"n\":\"z\",\"v\":3}]},"
     "\"status\":{\"conditions\":[{\"type\":\"Synced\",\"status\":\"False\"},{\"type\":"
     "\"Ready\",\"status\":\"True\"}]}}"},
    {"spec.replicas", "invalid"},
    {"..replicas", "invalid"},
    {".spec.items[", "invalid"},
    {".spec.items[a]", "invalid"},
    {".spec.items[?(@.v>)]", "invalid"},
};

INSTANTIATE_TEST_SUITE_P(All, JsonPathTest, testing::ValuesIn(kPaths));

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
