#include "scheduler/model/device_claims.h"

#include <gtest/gtest.h>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

ClaimRef MakeClaim(const std::string& version) {
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->metadata.name = "c";
  claim->metadata.namespace_ = "default";
  claim->metadata.uid = "u";
  claim->metadata.resource_version = version;
  return claim;
}

const api::ObjectKey kKey{"default", "c"};

TEST(ClaimCache, OnlyNewerVersionsCount) {
  ClaimCache cache;
  const ClaimRef second = MakeClaim("2");
  EXPECT_TRUE(cache.Put(second));
  EXPECT_FALSE(cache.Put(MakeClaim("2")));
  EXPECT_FALSE(cache.Put(MakeClaim("1")));
  EXPECT_EQ(cache.Find(kKey), second);
  const auto change = cache.Put(MakeClaim("10"));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->before, second);
}

TEST(ClaimCache, AssumedVersionsHoldUntilNewerOnesAreShown) {
  ClaimCache cache;
  const ClaimRef assumed = MakeClaim("3");
  cache.Put(MakeClaim("1"));
  ASSERT_TRUE(cache.Assume(assumed));
  EXPECT_EQ(cache.Find(kKey), assumed);
  EXPECT_FALSE(cache.Put(MakeClaim("2"))) << "from before the write";
  EXPECT_FALSE(cache.Put(MakeClaim("3")));
  EXPECT_EQ(cache.Find(kKey), assumed);
  EXPECT_TRUE(cache.Put(MakeClaim("4")));
}

TEST(ClaimCache, AssumeFailsForUnknownAndOldVersions) {
  ClaimCache cache;
  EXPECT_EQ(cache.Assume(MakeClaim("1")).error().message,
            "could not find ResourceClaim \"default/c\"");
  cache.Put(MakeClaim("5"));
  EXPECT_EQ(cache.Assume(MakeClaim("4")).error().message,
            "ResourceClaim \"default/c\" is out of sync (stored: 5, assume: 4)");
  EXPECT_TRUE(cache.Assume(MakeClaim("5")));
}

TEST(ClaimCache, DeletedClaimsAreGoneWithTheirAssumptions) {
  ClaimCache cache;
  cache.Put(MakeClaim("1"));
  EXPECT_TRUE(cache.Assume(MakeClaim("2")));
  EXPECT_TRUE(cache.Remove(kKey));
  EXPECT_EQ(cache.Find(kKey), nullptr);
  EXPECT_FALSE(cache.Remove(kKey));
  EXPECT_EQ(cache.size(), 0u);
}

TEST(InFlightAllocations, CountTheirSharers) {
  InFlightAllocations in_flight;
  const ClaimRef first = MakeClaim("1");
  EXPECT_TRUE(in_flight.Add(first));
  EXPECT_FALSE(in_flight.Add(MakeClaim("1")));
  EXPECT_EQ(in_flight.Remove("u", /*forced=*/false), nullptr);
  EXPECT_TRUE(in_flight.Contains("u"));
  EXPECT_EQ(in_flight.Remove("u", /*forced=*/false), first);
  EXPECT_FALSE(in_flight.Contains("u"));
  EXPECT_EQ(in_flight.Remove("u", /*forced=*/false), nullptr);
  in_flight.Add(first);
  in_flight.Add(first);
  EXPECT_EQ(in_flight.Remove("u", /*forced=*/true), first);
  EXPECT_EQ(in_flight.size(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
