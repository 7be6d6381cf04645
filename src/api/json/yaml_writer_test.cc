#include "api/json/yaml_writer.h"

#include <gtest/gtest.h>

#include "api/json/parse.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

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
  for (const auto& c : cases) EXPECT_EQ(ToYamlText(Json(c.text)), c.want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
