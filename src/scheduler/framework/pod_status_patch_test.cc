#include "scheduler/framework/pod_status_patch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(PodStatusPatch, ReplacesTheConditionOfItsType) {
  api::PodStatus status;
  Apply(Says("PodScheduled", "one"), status);
  Apply(Says("DisruptionTarget", "two"), status);
  Apply(Says("PodScheduled", "three"), status);
  ASSERT_EQ(status.conditions.size(), 2u);
  EXPECT_EQ(status.conditions[0].message, "two");
  EXPECT_EQ(status.conditions[1].message, "three");
}

TEST(PodStatusPatch, EmptyNodeClearsTheNomination) {
  api::PodStatus status;
  status.nominated_node_name = "n1";
  Apply(Says("PodScheduled", "one"), status);
  EXPECT_EQ(status.nominated_node_name, "n1");
  PatchPodStatus clears = Patch();
  clears.nominated_node_name = "";
  Apply(clears, status);
  EXPECT_EQ(status.nominated_node_name, "");
}

TEST(PodStatusPatch, WithoutMappingsThoseOfThePodRemain) {
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

TEST(PodStatusPatch, MergedPatchDoesWhatBothDo) {
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
