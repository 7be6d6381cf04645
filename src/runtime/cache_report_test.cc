#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cache_debugger.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

TEST(ReadPage, CollectsNamesOrUids) {
  constexpr const char* kPage =
      R"({"metadata":{"continue":"more"},"items":[{"metadata":{"name":"a","uid":"1"}},)"
      R"({"metadata":{"name":"b","uid":"2"}}]})";
  std::set<std::string> names, uids;
  EXPECT_EQ(ReadPage(kPage, false, names), "more");
  EXPECT_THAT(names, ElementsAre("a", "b"));
  EXPECT_EQ(ReadPage(kPage, true, uids), "more");
  EXPECT_THAT(uids, ElementsAre("1", "2"));
  EXPECT_EQ(ReadPage(R"({"items":[]})", true, uids), "");
}

TEST(ReadPage, RefusesWhatIsNoList) {
  std::set<std::string> names;
  for (const char* body : {"", "[]", "{}", R"({"items":1})", "not json"}) {
    EXPECT_FALSE(ReadPage(body, false, names).has_value()) << body;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
