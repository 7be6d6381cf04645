#include "api/json/document.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(EraseMembersIf, PreservesTheOrderOfTheOthers) {
  JsonObject object{{"a", 1}, {"b", nullptr}, {"c", "x"}, {"d", nullptr}, {"e", 2}};
  EraseMembersIf(object, [](const auto& member) { return member.value().is_null(); });
  std::string keys;
  for (const auto& member : object) keys += member.key();
  EXPECT_EQ(keys, "ace");
  EXPECT_EQ(StringAt(&object, "c"), "x");
}

// One by one, half a million removals would take minutes.
TEST(EraseMembersIf, RemovesManyInLinearTime) {
  JsonObject object;
  for (int i = 0; i < 1'000'000; ++i) object.emplace(std::to_string(i), i % 2);
  EraseMembersIf(object, [](const auto& member) { return member.value() == 0; });
  EXPECT_EQ(object.size(), 500'000u);
  EXPECT_EQ(object.begin()->key(), "1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
