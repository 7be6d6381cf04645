#include <gtest/gtest.h>

#include "api/json/decode.h"
#include "api/json/encode.h"
#include "api/object.h"
#include "testing/require.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

TEST(DecodePodGroup, ReadsWhatTheSchedulerNeeds) {
  const Ref<PodGroup> group = Require(DecodeJsonAs<PodGroup>(R"({
    "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "team", "generation": 3},
    "spec": {
      "podGroupTemplateRef": null,
      "schedulingPolicy": {"gang": {"minCount": 4}},
      "schedulingConstraints": {"topology": [{"key": "rack"}]},
      "disruptionMode": "PodGroup", "priorityClassName": "high", "priority": 7},
    "status": {"conditions": [{"type": "PodGroupScheduled", "status": "False",
      "reason": "Unschedulable", "message": "m", "observedGeneration": 3,
      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})"));
  EXPECT_EQ(group->metadata.namespace_, "team");
  EXPECT_EQ(group->min_count, 4);
  EXPECT_EQ(group->topology_keys, std::vector<std::string>{"rack"});
  EXPECT_EQ(group->disruption_mode, "PodGroup");
  EXPECT_EQ(group->priority_class_name, "high");
  EXPECT_EQ(group->priority(), 7);
  ASSERT_EQ(group->conditions.size(), 1u);
  EXPECT_EQ(group->conditions[0].reason, "Unschedulable");
  EXPECT_EQ(*Require(DecodeJsonAs<PodGroup>(EncodeJson(*group))), *group);
}

// Kubernetes v1.37's form.
TEST(DecodePodGroup, NamesOfV1beta1BecomeThoseOfV1alpha2) {
  const Ref<PodGroup> group = Require(DecodeJsonAs<PodGroup>(R"({
    "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "g"},
    "spec": {"workloadRef": {"workloadName": "w", "templateName": "t"},
      "schedulingPolicy": {"gang": {"minCount": 4}}, "disruptionMode": {"all": {}}},
    "status": {"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True"}]}})"));
  EXPECT_EQ(group->min_count, 4);
  EXPECT_EQ(group->disruption_mode, "PodGroup");
  EXPECT_EQ(group->conditions[0].type, "PodGroupScheduled");
  const auto single = Require(DecodeJsonAs<PodGroup>(
      R"({"metadata": {"name": "g"}, "spec": {"disruptionMode": {"single": {}}}})"));
  EXPECT_EQ(single->disruption_mode, "Pod");
}

TEST(DecodePodGroup, WithoutAGangThePolicyIsBasic) {
  const Ref<PodGroup> group = Require(DecodeJsonAs<PodGroup>(
      R"({"metadata": {"name": "g"}, "spec": {"schedulingPolicy": {"basic": {}}}})"));
  EXPECT_EQ(group->min_count, std::nullopt);
  EXPECT_EQ(group->priority(), 0);
  EXPECT_EQ(group->metadata.namespace_, "default");
}

TEST(DecodePodGroup, PodsNameTheirs) {
  const Ref<Pod> pod = Require(DecodeJsonAs<Pod>(
      R"({"metadata": {"name": "p"}, "spec": {"schedulingGroup": {"podGroupName": "g"}}})"));
  EXPECT_EQ(pod->spec.pod_group_name, "g");
  EXPECT_EQ(*Require(DecodeJsonAs<Pod>(EncodeJson(*pod))), *pod);
}

// A PodGroup of another group of the API is another kind.
TEST(DecodePodGroup, GroupsOfSchedulerPluginsAreNotRead) {
  const auto objects =
      Require(DecodeJson(R"({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",)"
                         R"( "metadata": {"name": "g"}, "spec": {"minMember": 3}})"));
  EXPECT_TRUE(objects.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
