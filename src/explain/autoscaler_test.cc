#include "explain/autoscaler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/json/parse.h"
#include "testing/require.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'767'225'600);  // 2026-01-01T00:00:00Z
const Sentence kStuck{"No node has 9 cpu free", "x"};

api::JsonObject Json(std::string_view text) { return Require(api::ParseJson(text)).get_object(); }

api::JsonObject EventAt(std::string_view time, std::string_view reason, std::string_view message,
                        std::string_view source = "cluster-autoscaler") {
  return Json(fmt::format(
      R"({{"reason":"{}","message":"{}","source":{{"component":"{}"}},"lastTimestamp":"{}"}})",
      reason, message, source, time));
}

std::string Say(const Events& of_pod, const Events& of_autoscaler = {},
                std::vector<api::JsonObject> claims = {}) {
  AutoscalerFacts facts;
  facts.of_pod = of_pod;
  facts.of_autoscaler = of_autoscaler;
  facts.node_claims = std::move(claims);
  facts.now = kNow;
  return WithAutoscaler(kStuck, facts).text;
}

TEST(AutoscalerTest, WithoutNewsNothingIsAdded) {
  EXPECT_EQ(Say({}), kStuck.text);
  // The scheduler's own events are no news.
  EXPECT_EQ(Say({EventAt("2025-12-31T23:59:00Z", "FailedScheduling", "0/3", "default-scheduler")}),
            kStuck.text);
}

TEST(AutoscalerTest, WhatHappenedLastDecides) {
  const auto scales = EventAt("2025-12-31T23:58:00Z", "TriggeredScaleUp", "group a 1->2");
  const auto refused = EventAt("2025-12-31T23:59:00Z", "NotTriggerScaleUp", "max size");
  EXPECT_EQ(Say({scales}),
            "A node is coming: cluster-autoscaler says \"group a 1->2\"; until then: No node has 9 "
            "cpu free");
  EXPECT_EQ(Say({scales, refused}),
            "No node has 9 cpu free, and cluster-autoscaler adds no node: max size");
  EXPECT_EQ(Say({scales}, {EventAt("2025-12-31T23:59:30Z", "FailedToScaleUpGroup",
                                   "Scale-up failed for group a: quota exceeded.")}),
            "cluster-autoscaler cannot add a node: Scale-up failed for group a: quota exceeded; "
            "without a new node: No node has 9 cpu free");
  // An earlier failure is of an earlier attempt.
  EXPECT_TRUE(Say({scales}, {EventAt("2025-12-31T23:00:00Z", "FailedToScaleUpGroup", "x")})
                  .starts_with("A node is coming: "));
}

TEST(AutoscalerTest, ANodeThatNeverCameIsNotComing) {
  EXPECT_EQ(Say({EventAt("2025-12-31T23:00:00Z", "TriggeredScaleUp", "group a 1->2")}),
            "No node has come in the 60 minutes since cluster-autoscaler says \"group a 1->2\"; "
            "without a new node: No node has 9 cpu free");
}

struct ClaimCase {
  const char* name;
  const char* status;
  const char* want;
};

class NodeClaimTest : public testing::TestWithParam<ClaimCase> {};

TEST_P(NodeClaimTest, ItsConditionsSayHowFarTheNodeIs) {
  const ClaimCase& c = GetParam();
  const auto nominated = EventAt("2025-12-31T23:59:00Z", "Nominated",
                                 "Pod should schedule on: nodeclaim/default-x1", "karpenter");
  EXPECT_EQ(
      Say({nominated}, {},
          {Json(fmt::format(R"({{"metadata":{{"name":"default-x1"}},"status":{}}})", c.status))}),
      c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Claims, NodeClaimTest,
    testing::Values(
        ClaimCase{"New", "{}",
                  "A node is coming: Karpenter launches NodeClaim default-x1 for it; until then: "
                  "No node has 9 cpu free"},
        ClaimCase{"CannotBeLaunched",
                  R"({"conditions":[{"type":"Launched","status":"Unknown",)"
                  R"("reason":"LaunchFailed","message":"no capacity in zone a."}]})",
                  "Karpenter cannot launch NodeClaim default-x1 for it (no capacity in zone a); "
                  "without a new node: No node has 9 cpu free"},
        ClaimCase{
            "Launched",
            R"({"conditions":[{"type":"Launched","status":"True"},{"type":"Registered",)"
            R"("status":"Unknown","reason":"NodeNotFound","message":"Node not registered"}]})",
            "A node is coming: NodeClaim default-x1 is launched for it, and its node has not "
            "joined the cluster yet (Node not registered); until then: No node has 9 cpu "
            "free"},
        ClaimCase{"Joined",
                  R"({"nodeName":"ip-1","conditions":[{"type":"Launched","status":"True"},)"
                  R"({"type":"Registered","status":"True"}]})",
                  "A node is coming: ip-1 of NodeClaim default-x1 has joined for it, and is not "
                  "ready yet; until then: No node has 9 cpu free"},
        ClaimCase{"Ready",
                  R"({"nodeName":"ip-1","conditions":[{"type":"Launched","status":"True"},)"
                  R"({"type":"Registered","status":"True"},{"type":"Initialized",)"
                  R"("status":"True"}]})",
                  "No node has 9 cpu free"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(AutoscalerTest, KarpenterSaysWhyItAddsNoNode) {
  EXPECT_EQ(
      Say({EventAt("2025-12-31T23:59:00Z", "FailedScheduling", "no instance type", "karpenter")}),
      "No node has 9 cpu free, and Karpenter adds no node: no instance type");
  EXPECT_EQ(Say({EventAt("2025-12-31T23:59:00Z", "Nominated", "should schedule on: node/n",
                         "karpenter")}),
            "A node is coming: Karpenter says \"should schedule on: node/n\"; until then: No node "
            "has 9 cpu free");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
