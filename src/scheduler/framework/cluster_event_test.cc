#include "scheduler/framework/cluster_event.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "api/json/yaml.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

TEST(ActionNames, NameSingleActionsBothWays) {
  EXPECT_EQ(NameOf(kAdd), "Add");
  EXPECT_EQ(NameOf(kUpdateNodeTaint), "UpdateNodeTaint");
  EXPECT_EQ(NameOf(kUpdatePodGeneratedResourceClaim), "UpdatePodGeneratedResourceClaim");
  EXPECT_EQ(NameOf(kAdd | kDelete), "");
  EXPECT_EQ(NameOf(0), "");
  EXPECT_EQ(ParseAction("Delete"), kDelete);
  EXPECT_EQ(ParseAction("UpdatePodLabel"), kUpdatePodLabel);
  EXPECT_EQ(ParseAction("Update"), 0);
}

TEST(EventType, LabelsAreThoseOfMetrics) {
  EXPECT_EQ((EventType{Resource::kNode, kAdd}.Label()), "NodeAdd");
  EXPECT_EQ((EventType{Resource::kCsiNode, kUpdate}.Label()), "storage.k8s.io/CSINodeUpdate");
  EXPECT_EQ((EventType{Resource::kAssignedPod, kDelete}.Label()), "AssignedPodDelete");
  EXPECT_EQ(kEverything.Label(), "*All");
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

// The object with these fields, and a name.
template <typename T>
api::Ref<T> Decode(const char* kind, std::string fields) {
  const std::string metadata = "metadata: {";
  if (!fields.starts_with(metadata)) fields = metadata + "}, " + fields;
  fields.insert(metadata.size(), "name: x, ");
  const std::string yaml = std::string("{apiVersion: v1, kind: ") + kind + ", " + fields + "}";
  const auto objects = api::DecodeObjects(yaml, "test");
  EXPECT_TRUE(objects.has_value()) << objects.error().message << "\n" << yaml;
  return std::get<api::Ref<T>>(objects->at(0));
}

std::string Labels(const std::vector<EventType>& events) {
  std::string text;
  for (const EventType& event : events) text += (text.empty() ? "" : " ") + event.Label();
  return text;
}

struct Case {
  const char* name;
  const char* before;
  const char* after;
  const char* want;
};

TEST(SchedulingPropertiesChange, OfPods) {
  const Case cases[] = {
      {"Nothing", "", "", "UnschedulablePodUpdate"},
      {"NothingOfAPodOnANode", "spec: {nodeName: a}", "spec: {nodeName: a}", "AssignedPodUpdate"},
      {"ThePodIsBound", "", "spec: {nodeName: a}", "AssignedPodUpdate"},
      {"AnAnnotation", "", "metadata: {annotations: {a: b}}", "UnschedulablePodUpdate"},
      {"ALabel", "", "metadata: {labels: {a: b}}", "UnschedulablePodUpdatePodLabel"},
      {"ALabelOfAPodOnANode", "spec: {nodeName: a}",
       "metadata: {labels: {a: b}}, spec: {nodeName: a}", "AssignedPodUpdatePodLabel"},
      {"LessCpu", "spec: {containers: [{resources: {requests: {cpu: 2}}}]}",
       "spec: {containers: [{resources: {requests: {cpu: 1999m}}}]}",
       "UnschedulablePodUpdatePodScaleDown"},
      {"NoCpuAnyMore", "spec: {containers: [{resources: {requests: {cpu: 2}}}]}",
       "spec: {containers: [{resources: {requests: {memory: 1}}}]}",
       "UnschedulablePodUpdatePodScaleDown"},
      {"MoreCpu", "spec: {containers: [{resources: {requests: {cpu: 1}}}]}",
       "spec: {containers: [{resources: {requests: {cpu: 2}}}]}", "UnschedulablePodUpdate"},
      {"TheSameCpuInOtherWords", "spec: {containers: [{resources: {requests: {cpu: 1}}}]}",
       "spec: {containers: [{resources: {requests: {cpu: 1000m}}}]}", "UnschedulablePodUpdate"},
      {"WhatAResizeHasGrantedStillCounts",
       "spec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: 2}}}]}",
       "spec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: 1}}}]}, status: "
       "{containerStatuses: [{name: c, resources: {requests: {cpu: 2}}}]}",
       "AssignedPodUpdate"},
      {"TheLastGateIsGone", "spec: {schedulingGates: [{name: a}]}", "",
       "UnschedulablePodUpdatePodSchedulingGatesEliminated"},
      {"OneGateIsGone", "spec: {schedulingGates: [{name: a}, {name: b}]}",
       "spec: {schedulingGates: [{name: b}]}", "UnschedulablePodUpdate"},
      {"AToleration", "", "spec: {tolerations: [{operator: Exists}]}",
       "UnschedulablePodUpdatePodToleration"},
      {"AnotherToleration", "spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: b}]}",
       "UnschedulablePodUpdate"},
      {"AClaimIsMade", "", "status: {resourceClaimStatuses: [{name: a, resourceClaimName: b}]}",
       "UnschedulablePodUpdatePodGeneratedResourceClaim"},
      {"AClaimForExtendedResourcesIsMade", "",
       "status: {extendedResourceClaimStatus: {resourceClaimName: a}}",
       "UnschedulablePodUpdatePodGeneratedResourceClaim"},
      {"InThisOrder",
       "spec: {schedulingGates: [{name: a}], containers: [{resources: {requests: {cpu: 1}}}]}",
       "metadata: {labels: {a: b}}, spec: {tolerations: [{key: a}]}, status: "
       "{resourceClaimStatuses: [{name: a}]}",
       "UnschedulablePodUpdatePodLabel UnschedulablePodUpdatePodScaleDown "
       "UnschedulablePodUpdatePodSchedulingGatesEliminated UnschedulablePodUpdatePodToleration "
       "UnschedulablePodUpdatePodGeneratedResourceClaim"},
  };
  for (const Case& c : cases) {
    const auto before = Decode<api::Pod>("Pod", c.before);
    const auto after = Decode<api::Pod>("Pod", c.after);
    EXPECT_EQ(Labels(PodSchedulingPropertiesChange(*before, *after)), c.want) << c.name;
  }
}

TEST(SchedulingPropertiesChange, GatesDecideWhatCounts) {
  const auto declared = Decode<api::Node>("Node", "status: {declaredFeatures: [A]}");
  const auto undeclared = Decode<api::Node>("Node", "");
  EXPECT_EQ(Labels(NodeSchedulingPropertiesChange(*undeclared, *declared,
                                                  {.node_declared_features = false})),
            "");

  const auto before = Decode<api::Pod>(
      "Pod",
      "spec: {nodeName: a, resources: {requests: {cpu: 2}}}, status: {resources: {requests: {cpu: "
      "3}}}");
  const auto after = Decode<api::Pod>(
      "Pod",
      "spec: {nodeName: a, resources: {requests: {cpu: 2}}}, status: {resources: {requests: {cpu: "
      "2}}}");
  EXPECT_EQ(Labels(PodSchedulingPropertiesChange(*before, *after)),
            "AssignedPodUpdatePodScaleDown");
  EXPECT_EQ(Labels(PodSchedulingPropertiesChange(
                *before, *after, {.in_place_pod_level_resources_vertical_scaling = false})),
            "AssignedPodUpdate");
  // Without pod-level resources, one that is scaled down counts all the same, as upstream.
  const auto less = Decode<api::Pod>("Pod", "spec: {nodeName: a, resources: {requests: {cpu: 1}}}");
  EXPECT_EQ(
      Labels(PodSchedulingPropertiesChange(
          *before, *less,
          {.in_place_pod_level_resources_vertical_scaling = false, .pod_level_resources = false})),
      "AssignedPodUpdatePodScaleDown");
}

TEST(SchedulingPropertiesChange, OfNodes) {
  const Case cases[] = {
      {"Nothing", "", "", ""},
      {"Capacity", "", "status: {capacity: {cpu: 1}}", ""},
      {"ItIsCordoned", "", "spec: {unschedulable: true}", ""},
      {"ItIsUncordoned", "spec: {unschedulable: true}", "", "NodeUpdateNodeTaint"},
      {"Allocatable", "status: {allocatable: {cpu: 1}}", "status: {allocatable: {cpu: 2}}",
       "NodeUpdateNodeAllocatable"},
      {"TheSameInOtherWords", "status: {allocatable: {cpu: 1}}",
       "status: {allocatable: {cpu: 1000m}}", ""},
      {"ALabel", "metadata: {labels: {a: b}}", "", "NodeUpdateNodeLabel"},
      {"ATaint", "", "spec: {taints: [{key: a, effect: NoSchedule}]}", "NodeUpdateNodeTaint"},
      {"ACondition", "status: {conditions: [{type: Ready, status: 'False'}]}",
       "status: {conditions: [{type: Ready, status: 'True'}]}", "NodeUpdateNodeCondition"},
      {"ConditionsInAnotherOrder",
       "status: {conditions: [{type: A, status: 'True'}, {type: B, status: 'True'}]}",
       "status: {conditions: [{type: B, status: 'True'}, {type: A, status: 'True'}]}", ""},
      {"AnAnnotation", "", "metadata: {annotations: {a: b}}", "NodeUpdateNodeAnnotation"},
      {"AFeature", "", "status: {declaredFeatures: [A]}", "NodeUpdateNodeDeclaredFeature"},
      {"UncordonedWithoutATaint",
       "spec: {unschedulable: true, taints: [{key: a, effect: NoSchedule}]}", "",
       "NodeUpdateNodeTaint NodeUpdateNodeTaint"},
      {"InThisOrder", "spec: {unschedulable: true}",
       "metadata: {labels: {a: b}, annotations: {a: b}}, spec: {taints: [{key: a, effect: "
       "NoSchedule}]}, status: {allocatable: {cpu: 1}, conditions: [{type: Ready, status: "
       "'True'}], "
       "declaredFeatures: [A]}",
       "NodeUpdateNodeTaint NodeUpdateNodeAllocatable NodeUpdateNodeLabel NodeUpdateNodeTaint "
       "NodeUpdateNodeCondition NodeUpdateNodeAnnotation NodeUpdateNodeDeclaredFeature"},
  };
  for (const Case& c : cases) {
    const auto before = Decode<api::Node>("Node", c.before);
    const auto after = Decode<api::Node>("Node", c.after);
    EXPECT_EQ(Labels(NodeSchedulingPropertiesChange(*before, *after)), c.want) << c.name;
  }
}

}  // namespace BERTH_TEST_FILE
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
}  // namespace berth::scheduler::framework
