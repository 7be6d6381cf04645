#include "framework/action_names.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(ActionNames, NameSingleActionsBothWays) {
  EXPECT_EQ(NameOf(kAdd), "Add");
  EXPECT_EQ(NameOf(kUpdateNodeTaint), "UpdateNodeTaint");
  EXPECT_EQ(NameOf(kUpdatePodGeneratedResourceClaim), "UpdatePodGeneratedResourceClaim");
  EXPECT_EQ(NameOf(kAdd | kDelete), "");
  EXPECT_EQ(NameOf(0), "");
  EXPECT_EQ(ActionNamed("Delete"), kDelete);
  EXPECT_EQ(ActionNamed("UpdatePodLabel"), kUpdatePodLabel);
  EXPECT_EQ(ActionNamed("Update"), 0);
}

TEST(EventType, LabelsAreThoseOfMetrics) {
  EXPECT_EQ((EventType{Resource::kNode, kAdd}.Label()), "NodeAdd");
  EXPECT_EQ((EventType{Resource::kCsiNode, kUpdate}.Label()), "storage.k8s.io/CSINodeUpdate");
  EXPECT_EQ((EventType{Resource::kAssignedPod, kDelete}.Label()), "AssignedPodDelete");
  EXPECT_EQ(kEverything.Label(), "*All");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
