#include "cmd/conformance_allocations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/json/parse.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<DeviceAllocations> Read(std::string_view text) {
  const auto parsed = api::ParseJson(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return ReadAllocations(JsonFields::Value(*parsed));
}

constexpr std::string_view kRecorded = R"({
  "allocations": {
    "a": {"c": [
      {"request": "r", "driver": "d", "pool": "p", "device": "x", "shared": true,
       "consumedCapacity": {"memory": "1Gi"}},
      {"request": "s/t", "driver": "d", "pool": "p", "device": "y", "adminAccess": true,
       "bindingConditions": ["ready"]}]},
    "b": {"c": [{"request": "r", "driver": "d", "pool": "p", "device": "x"}]}},
  "allocationNodeSelectors": {
    "a": {"c": {"nodeSelectorTerms": [{"matchExpressions": [
      {"key": "zone", "operator": "In", "values": ["z"]}]}]}},
    "b": {"c": null}}})";

DeviceAllocations Recorded() { return Read(kRecorded).value_or(DeviceAllocations{}); }

TEST(ReadAllocations, ReadsDevicesAndNodes) {
  const DeviceAllocations allocations = Recorded();
  const api::AllocationResult& first = allocations.at("a").at("c");
  ASSERT_EQ(first.results.size(), 2U);
  EXPECT_EQ(first.results[0].request, "r");
  EXPECT_EQ(first.results[0].consumed_capacity.at("memory").Value(), 1 << 30);
  EXPECT_TRUE(first.results[0].share_id.has_value());
  EXPECT_EQ(first.results[1].admin_access, true);
  EXPECT_THAT(first.results[1].binding_conditions, ElementsAre("ready"));
  EXPECT_EQ(first.node_selector->terms[0].match_expressions[0].key, "zone");
  EXPECT_FALSE(allocations.at("b").at("c").node_selector.has_value());
}

TEST(ReadAllocations, DevicesAreForTheirNodeUnlessRecordedOtherwise) {
  const auto read = Read(R"({"allocations": {"a": {"c": []}}})");
  ASSERT_TRUE(read.has_value());
  EXPECT_THAT(read->at("a").at("c").node_selector->terms[0].match_fields[0].values,
              ElementsAre("a"));
  EXPECT_THAT(*Read(R"({"allocations": null})"), IsEmpty());
}

TEST(ReadAllocations, ReportsTheInvalidField) {
  const auto read =
      Read(R"({"allocations": {"a": {"c": [{"consumedCapacity": {"memory": "1x"}}]}}})");
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message, HasSubstr("field \"memory\": must be a quantity"));
}

TEST(CompareAllocations, IgnoresShareIdsAndSpelling) {
  DeviceAllocations actual = Recorded();
  api::DeviceRequestAllocationResult& device = actual.at("a").at("c").results[0];
  device.share_id = "5a1e";
  device.consumed_capacity["memory"] = *api::Quantity::Parse("1024Mi");
  device.tolerations.emplace_back();
  EXPECT_THAT(CompareAllocations(Recorded(), actual), IsEmpty());
}

TEST(CompareAllocations, ReportsWhatDiffers) {
  DeviceAllocations actual = Recorded();
  actual.at("a").at("c").results[0].device = "z";
  actual.at("b").at("c").node_selector.emplace();
  actual["e"]["c"];
  DeviceAllocations expected = Recorded();
  expected["f"]["c"];
  EXPECT_THAT(
      CompareAllocations(expected, actual),
      ElementsAre(Difference{"allocation a c",
                             "[r=d/p/x shared memory=1Gi, s/t=d/p/y adminAccess until ready]",
                             "[r=d/p/z shared memory=1Gi, s/t=d/p/y adminAccess until ready]"},
                  Difference{"nodes of b c", "all nodes", ""},
                  Difference{"allocation e c", "nothing", "[]"},
                  Difference{"allocation f c", "[]", "nothing"}));
}

TEST(CompareAllocations, OrderCounts) {
  DeviceAllocations actual = Recorded();
  auto& results = actual.at("a").at("c").results;
  std::swap(results[0], results[1]);
  EXPECT_EQ(CompareAllocations(Recorded(), actual).size(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
