#include "scheduler/framework/status_patches.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/pod_group.h"
#include "api/resource_claim.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

// A status for the claim; the mappings name its requests.
api::PodExtendedResourceClaimStatus Claim(const std::string& name,
                                          const std::vector<std::string>& requests) {
  api::PodExtendedResourceClaimStatus claim;
  claim.resource_claim_name = name;
  for (const std::string& request : requests)
    claim.request_mappings.push_back({"main", "example.com/gpu", request});
  return claim;
}

PatchPodStatus Patch() { return {{"default", "web"}, "uid", {}, {}}; }
PatchPodStatus PatchOf(api::PodExtendedResourceClaimStatus claim) {
  PatchPodStatus patch = Patch();
  patch.extended_resource_claim_status = std::move(claim);
  return patch;
}
PatchPodStatus Says(const std::string& type, const std::string& message) {
  PatchPodStatus patch = Patch();
  patch.condition.emplace();
  patch.condition->type = type;
  patch.condition->message = message;
  return patch;
}

TEST(StatusPatches, ReplacesTheConditionOfItsType) {
  api::PodStatus status;
  Apply(Says("PodScheduled", "one"), status);
  Apply(Says("DisruptionTarget", "two"), status);
  Apply(Says("PodScheduled", "three"), status);
  ASSERT_EQ(status.conditions.size(), 2u);
  EXPECT_EQ(status.conditions[0].message, "three");
  EXPECT_EQ(status.conditions[1].message, "two");
}

TEST(StatusPatches, EmptyNodeClearsTheNomination) {
  api::PodStatus status;
  status.nominated_node_name = "n1";
  Apply(Says("PodScheduled", "one"), status);
  EXPECT_EQ(status.nominated_node_name, "n1");
  PatchPodStatus clears = Patch();
  clears.nominated_node_name = "";
  Apply(clears, status);
  EXPECT_EQ(status.nominated_node_name, "");
}

TEST(StatusPatches, WithoutMappingsThoseOfThePodRemain) {
  api::PodStatus status;
  Apply(PatchOf(Claim("first", {"a", "b"})), status);
  EXPECT_EQ(status.extended_resource_claim_status, Claim("first", {"a", "b"}));
  Apply(PatchOf(Claim("second", {})), status);
  EXPECT_EQ(status.extended_resource_claim_status, Claim("second", {"a", "b"}));
  Apply(Patch(), status);
  EXPECT_EQ(status.extended_resource_claim_status, Claim("second", {"a", "b"}));
  Apply(PatchOf(Claim("third", {"c"})), status);
  EXPECT_EQ(status.extended_resource_claim_status, Claim("third", {"c"}));
}

TEST(StatusPatches, OtherConditionsOfAGroupRemain) {
  api::PodGroup group;
  group.conditions.emplace_back().type = "DisruptionTarget";
  PatchPodGroupStatus patch{{"default", "job"}, "uid", {}};
  patch.condition.type = "PodGroupScheduled";
  patch.condition.message = "first";
  Apply(patch, group);
  patch.condition.message = "second";
  Apply(patch, group);
  ASSERT_EQ(group.conditions.size(), 2u);
  EXPECT_EQ(group.conditions[0].type, "DisruptionTarget");
  EXPECT_EQ(group.conditions[1].message, "second");
}

TEST(StatusPatches, OtherPodsKeepTheClaim) {
  api::ResourceClaim claim;
  for (const char* uid : {"uid-a", "uid-b"}) claim.status.reserved_for.emplace_back().uid = uid;
  Apply(UnreserveResourceClaim{{"default", "gpu"}, "uid", "uid-a"}, claim);
  ASSERT_EQ(claim.status.reserved_for.size(), 1u);
  EXPECT_EQ(claim.status.reserved_for[0].uid, "uid-b");
}

TEST(StatusPatches, ClaimKeepsWhatIsNoStatus) {
  api::ResourceClaim claim, written;
  claim.metadata.name = "gpu";
  written.status.reserved_for.emplace_back().uid = "uid-a";
  Apply(UpdateResourceClaimStatus{std::make_shared<const api::ResourceClaim>(written)}, claim);
  EXPECT_EQ(claim.metadata.name, "gpu");
  EXPECT_EQ(claim.status, written.status);
}

struct OverCase {
  const char* name;
  const char* status;
  const char* reason;
  const char* message;
  bool changes;
  Instant transition;  // That is written.
};

TEST(StatusPatches, ConditionIsWrittenOverAnotherIfItSaysMore) {
  constexpr Instant kThen = Instant::FromUnixSeconds(1), kNow = Instant::FromUnixSeconds(2);
  api::PodCondition wanted{.type = "PodScheduled",
                           .status = "False",
                           .reason = "Unschedulable",
                           .message = "no node fits",
                           .last_transition_time = kNow,
                           .observed_generation = 2};
  EXPECT_EQ(ConditionOver(nullptr, wanted), wanted);
  const OverCase cases[] = {
      {"Same", "False", "Unschedulable", "no node fits", false, {}},
      {"OtherReason", "False", "SchedulerError", "no node fits", true, kThen},
      {"OtherMessage", "False", "Unschedulable", "", true, kThen},
      {"OtherStatus", "True", "Unschedulable", "no node fits", true, kNow},
  };
  for (const OverCase& c : cases) {
    SCOPED_TRACE(c.name);
    const api::PodCondition current{.type = "PodScheduled",
                                    .status = c.status,
                                    .reason = c.reason,
                                    .message = c.message,
                                    .last_transition_time = kThen,
                                    .observed_generation = 1};
    const auto written = ConditionOver(&current, wanted);
    ASSERT_EQ(written.has_value(), c.changes);
    if (written) {
      EXPECT_EQ(written->last_transition_time, c.transition);
      EXPECT_EQ(written->observed_generation, 2);
    }
  }
}

TEST(StatusPatches, MergedPatchDoesWhatBothDo) {
  PatchPodStatus nominates = Says("PodScheduled", "second");
  nominates.nominated_node_name = "n1";
  const std::vector<PatchPodStatus> patches = {Says("PodScheduled", "first"), nominates, Patch(),
                                               PatchOf(Claim("first", {"a"})),
                                               PatchOf(Claim("second", {}))};
  for (const PatchPodStatus& older : patches) {
    for (const PatchPodStatus& newer : patches) {
      api::PodStatus apart, together;
      Apply(older, apart);
      Apply(newer, apart);
      Apply(Merge(older, newer), together);
      EXPECT_EQ(together, apart);
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
