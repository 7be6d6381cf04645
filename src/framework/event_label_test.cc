#include "framework/event_label.h"

#include <gtest/gtest.h>

#include <set>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(EventLabel, IsTheEventsNameOrTheCauses) {
  const struct {
    EventLabel label;
    const char* want;
  } cases[] = {
      {EventType{Resource::kNode, kAdd}, "NodeAdd"},
      {EventType{Resource::kNode, kUpdateNodeTaint}, "NodeUpdateNodeTaint"},
      {EventType{Resource::kUnschedulablePod, kUpdate}, "UnschedulablePodUpdate"},
      {EventType{Resource::kAssignedPod, kDelete}, "AssignedPodDelete"},
      {EventType{Resource::kCsiNode, kUpdate}, "storage.k8s.io/CSINodeUpdate"},
      {EventType{Resource::kDeviceClass, kAdd}, "resource.k8s.io/DeviceClassAdd"},
      {kEverything, "*All"},
      {EventLabel::kScheduleAttemptFailure, "ScheduleAttemptFailure"},
      {EventLabel::kPodPopped, "PodPopped"},
      {EventLabel(ClusterEvent{.type = kEverything, .label = "ForceActivate"}), "ForceActivate"},
      {EventLabel(ClusterEvent{.type = kEverything, .label = "UnschedulableTimeout"}),
       "UnschedulableTimeout"},
      {EventLabel(ClusterEvent{.type = {Resource::kNode, kDelete}}), "NodeDelete"},
  };
  std::set<size_t> indexes;
  for (const auto& c : cases) {
    EXPECT_EQ(c.label.Text(), c.want);
    EXPECT_LT(c.label.index(), EventLabel::kCount);
    EXPECT_TRUE(indexes.insert(c.label.index()).second) << c.want;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
