#include "cmd/conformance_gang_cases.h"

#include <gtest/gtest.h>

#include "api/json/parse.h"
#include "testing/require.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

// The parts that differ.
std::vector<std::string> Compare(std::string_view expected, std::string_view actual) {
  const api::Json a = Require(api::ParseJson(expected));
  const api::Json b = Require(api::ParseJson(actual));
  std::vector<std::string> parts;
  for (const Difference& difference : CompareGangState(api::JsonView(a), api::JsonView(b)))
    parts.push_back(difference.what);
  return parts;
}

using Parts = std::vector<std::string>;

TEST(GangState, WhatIsNotMentionedIsFree) {
  EXPECT_EQ(Compare(R"({"groups": {"g": {"placed": 1}}})",
                    R"({"groups": {"g": {"placed": 1, "members": 2}, "h": {}}, "victims": ["p"]})"),
            Parts());
}

TEST(GangState, WhatIsMentionedMustHold) {
  EXPECT_EQ(Compare(R"({"groups": {"g": {"placed": 1, "scheduled": true}}, "victims": []})",
                    R"({"groups": {"g": {"placed": 2, "scheduled": true}}, "victims": ["p"]})"),
            Parts({"groups g placed", "victims"}));
}

TEST(GangState, CountsHaveNoOtherNames) {
  EXPECT_EQ(Compare(R"({"groups": {"g": {"nodeCounts": {"a": 1}, "domains": {}}}})",
                    R"({"groups": {"g": {"nodeCounts": {"a": 1, "b": 1}, "domains": {}}}})"),
            Parts({"groups g nodeCounts"}));
}

TEST(GangState, NullMeansThatThereIsNone) {
  EXPECT_EQ(Compare(R"({"pods": {"p": {"condition": null}, "q": {"condition": null}}})",
                    R"({"pods": {"p": {"condition": {"reason": "x"}}, "q": {}}})"),
            Parts({"pods p condition"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
