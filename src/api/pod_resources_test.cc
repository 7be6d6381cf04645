#include "api/pod_resources.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

namespace berth::api {
namespace BERTH_TEST_FILE {

using Written = std::map<std::string, std::string>;

ResourceList List(const Written& written) {
  ResourceList list;
  for (const auto& [name, text] : written) {
    const Result<Quantity> quantity = Quantity::Parse(text);
    EXPECT_TRUE(quantity.has_value()) << text;
    list[name] = quantity.value_or(Quantity());
  }
  return list;
}

Written Print(const ResourceList& list) {
  Written printed;
  for (const auto& [name, quantity] : list) printed[name] = quantity.ToString();
  return printed;
}

Container Asking(const std::string& name, const Written& requests) {
  Container container;
  container.name = name;
  container.resources.requests = List(requests);
  return container;
}

Container Sidecar(const std::string& name, const Written& requests) {
  Container container = Asking(name, requests);
  container.restart_policy = "Always";
  return container;
}

Pod WithContainers(std::initializer_list<Written> requests) {
  Pod pod;
  for (const Written& list : requests) {
    pod.spec.containers.push_back(Asking("c" + std::to_string(pod.spec.containers.size()), list));
  }
  return pod;
}

ContainerStatus Status(const std::string& name, const Written& actuated, const Written& allocated) {
  return {name, ResourceRequirements{List(actuated), {}}, List(allocated)};
}

void SetPodLevel(Pod& pod, const Written& requests) {
  pod.spec.resources = ResourceRequirements{List(requests), {}};
}

void SetResizePending(Pod& pod, const std::string& reason) {
  PodCondition condition;
  condition.type = "PodResizePending";
  condition.reason = reason;
  pod.status.conditions.push_back(condition);
}

Written Requests(const Pod& pod, PodRequestOptions options = {}) {
  return Print(PodRequests(pod, options));
}

const PodRequestOptions kUseStatus{.use_status = true};

TEST(PodRequests, AnEmptyPodRequestsNothing) {
  EXPECT_EQ(Requests(Pod()), Written{});
  EXPECT_EQ(Requests(WithContainers({{}, {}})), Written{});
}

TEST(PodRequests, SumsContainers) {
  const Pod pod = WithContainers(
      {{{"cpu", "500m"}, {"memory", "1Gi"}}, {{"cpu", "1"}, {"example.com/gpu", "2"}}});
  EXPECT_EQ(Requests(pod),
            (Written{{"cpu", "1500m"}, {"memory", "1Gi"}, {"example.com/gpu", "2"}}));
}

// Two init containers around a sidecar, beside two containers.
Pod WithSidecar() {
  Pod pod = WithContainers({{{"cpu", "2"}, {"memory", "1Gi"}}, {{"cpu", "1"}, {"memory", "1Gi"}}});
  pod.spec.init_containers = {Asking("i1", {{"cpu", "2"}, {"memory", "1Gi"}}),
                              Sidecar("s1", {{"cpu", "500m"}, {"memory", "256Mi"}}),
                              Asking("i2", {{"cpu", "2"}, {"memory", "3Gi"}})};
  return pod;
}

TEST(PodRequests, SidecarsCountBesideLaterInitContainersAndContainers) {
  EXPECT_EQ(Requests(WithSidecar()), (Written{{"cpu", "3500m"}, {"memory", "3328Mi"}}));
}

TEST(PodRequests, OverheadComesOnTop) {
  Pod pod = WithSidecar();
  pod.spec.overhead = List({{"cpu", "250m"}, {"memory", "128Mi"}});
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "3750m"}, {"memory", "3456Mi"}}));
  SetPodLevel(pod, {{"cpu", "5"}});
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "5250m"}, {"memory", "3456Mi"}}));
}

TEST(PodRequests, InitContainersBeforeASidecarDoNotCountIt) {
  Pod pod = WithContainers({{{"cpu", "1"}}});
  pod.spec.init_containers = {Asking("i", {{"cpu", "3"}}), Sidecar("s", {{"cpu", "1"}})};
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "3"}}));
  std::swap(pod.spec.init_containers[0], pod.spec.init_containers[1]);
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "4"}}));
}

TEST(PodRequests, PodLevelReplacesOnlyWhatItNamesAndSupports) {
  Pod pod = WithContainers({{{"cpu", "1"}, {"memory", "1Gi"}, {"example.com/gpu", "1"}}});
  SetPodLevel(pod, {{"cpu", "500m"}, {"hugepages-2Mi", "4Mi"}, {"example.com/gpu", "7"}});
  EXPECT_EQ(
      Requests(pod),
      (Written{
          {"cpu", "500m"}, {"memory", "1Gi"}, {"hugepages-2Mi", "4Mi"}, {"example.com/gpu", "1"}}));
  EXPECT_EQ(Requests(pod, {.skip_pod_level = true}),
            (Written{{"cpu", "1"}, {"memory", "1Gi"}, {"example.com/gpu", "1"}}));
}

TEST(PodRequests, PodLevelLimitsDoNotCount) {
  Pod pod = WithContainers({{{"cpu", "1"}}});
  pod.spec.resources = ResourceRequirements{{}, List({{"cpu", "8"}})};
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "1"}}));
}

TEST(PodRequests, DefaultsFillWhatIsMissingButNotZero) {
  Pod pod = WithContainers({{}, {{"cpu", "0"}}, {{"cpu", "50m"}, {"memory", "64Mi"}}});
  const PodRequestOptions options{.non_missing = List({{"cpu", "100m"}, {"memory", "200Mi"}})};
  EXPECT_EQ(Requests(pod, options), (Written{{"cpu", "150m"}, {"memory", "464Mi"}}));
}

// Desired 3, actuated 1, allocated 2.
Pod Resizing() {
  Pod pod = WithContainers({{{"cpu", "3"}}});
  pod.status.container_statuses = {Status("c0", {{"cpu", "1"}}, {{"cpu", "2"}})};
  return pod;
}

TEST(PodRequests, AResizeCountsTheLargestValue) {
  EXPECT_EQ(Requests(Resizing()), (Written{{"cpu", "3"}}));
  EXPECT_EQ(Requests(Resizing(), kUseStatus), (Written{{"cpu", "3"}}));
  Pod shrinking = Resizing();
  shrinking.spec.containers[0].resources.requests = List({{"cpu", "500m"}});
  EXPECT_EQ(Requests(shrinking, kUseStatus), (Written{{"cpu", "2"}}));
  EXPECT_EQ(Requests(shrinking), (Written{{"cpu", "500m"}}));
}

TEST(PodRequests, AnInfeasibleResizeDoesNotCountTheDesiredRequests) {
  Pod pod = Resizing();
  SetResizePending(pod, "Infeasible");
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "2"}}));
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "3"}}));
}

TEST(PodRequests, TheFirstResizeConditionDecides) {
  Pod pod = Resizing();
  SetResizePending(pod, "Deferred");
  SetResizePending(pod, "Infeasible");
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "3"}}));
}

TEST(PodRequests, AStatusWithoutResourcesDoesNotCount) {
  Pod pod = Resizing();
  pod.status.container_statuses[0].resources.reset();
  pod.spec.containers[0].resources.requests = List({{"cpu", "500m"}});
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "500m"}}));
}

TEST(PodRequests, DefaultsAreAppliedAfterTheStatus) {
  Pod pod = WithContainers({{}});
  pod.status.container_statuses = {Status("c0", {{"cpu", "1"}}, {})};
  const PodRequestOptions options{.use_status = true,
                                  .non_missing = List({{"cpu", "100m"}, {"memory", "200Mi"}})};
  EXPECT_EQ(Requests(pod, options), (Written{{"cpu", "1"}, {"memory", "200Mi"}}));
}

TEST(PodRequests, AmongInitContainersOnlySidecarsUseTheirStatus) {
  Pod pod = WithContainers({{{"cpu", "1"}}});
  pod.spec.init_containers = {Sidecar("s", {{"cpu", "1"}}), Asking("i", {{"cpu", "1"}})};
  pod.status.init_container_statuses = {Status("s", {{"cpu", "2"}}, {}),
                                        Status("i", {{"cpu", "100"}}, {})};
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "3"}}));
}

TEST(PodRequests, APodLevelResizeCountsTheLargestValue) {
  Pod pod = WithContainers({{{"cpu", "1"}}});
  SetPodLevel(pod, {{"cpu", "2"}});
  pod.status.resources = ResourceRequirements{List({{"cpu", "3"}}), {}};
  pod.status.allocated_resources = List({{"cpu", "4"}});
  EXPECT_EQ(Requests(pod), (Written{{"cpu", "2"}}));
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "4"}}));
  SetPodLevel(pod, {{"cpu", "5"}});
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "5"}}));
  SetResizePending(pod, "Infeasible");
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "4"}}));
}

// Pod-level cpu; the container's memory is being resized from 1Gi to 4Gi. The kubelet reports the
// pod's memory with the overhead.
Pod ResizingMemoryBesidePodLevelCpu() {
  Pod pod = WithContainers({{{"cpu", "1"}, {"memory", "4Gi"}}});
  pod.status.container_statuses = {Status("c0", {{"memory", "1Gi"}}, {{"memory", "1Gi"}})};
  SetPodLevel(pod, {{"cpu", "2"}});
  pod.spec.overhead = List({{"memory", "1Gi"}});
  pod.status.resources = ResourceRequirements{List({{"cpu", "2"}, {"memory", "2Gi"}}), {}};
  pod.status.allocated_resources =
      List({{"cpu", "2"}, {"memory", "2Gi"}, {"hugepages-2Mi", "2Mi"}});
  return pod;
}

TEST(PodRequests, APodLevelStatusReplacesOnlyWhatThePodLevelRequestsName) {
  Pod pod = ResizingMemoryBesidePodLevelCpu();
  SetResizePending(pod, "Deferred");
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "2"}, {"memory", "5Gi"}}));
  EXPECT_EQ(PlacedNonZeroRequest(pod), (NonZeroRequest{2000, int64_t{5} << 30}));
}

TEST(PodRequests, APodLevelResizeCountsOnlyIfAllowed) {
  Pod pod = WithContainers({{{"cpu", "1"}, {"memory", "1Gi"}}});
  pod.status.container_statuses = {Status("c0", {{"memory", "3Gi"}}, {{"memory", "3Gi"}})};
  SetPodLevel(pod, {{"cpu", "2"}});
  pod.status.resources = ResourceRequirements{List({{"cpu", "4"}}), {}};
  pod.status.allocated_resources = List({{"cpu", "4"}});
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "4"}, {"memory", "3Gi"}}));
  const PodRequestOptions without{.use_status = true, .pod_level_resize = false};
  EXPECT_EQ(Requests(pod, without), (Written{{"cpu", "2"}, {"memory", "3Gi"}}));
  EXPECT_EQ(PlacedNonZeroRequest(pod, without), (NonZeroRequest{2000, int64_t{3} << 30}));
}

TEST(PodRequests, AnInfeasiblePodLevelRequestThatIsNotInTheStatusCountsAsZero) {
  Pod pod = WithContainers({{{"cpu", "1"}}});
  SetPodLevel(pod, {{"cpu", "2"}, {"memory", "1Gi"}});
  pod.status.resources = ResourceRequirements{List({{"cpu", "1"}}), {}};
  SetResizePending(pod, "Infeasible");
  EXPECT_EQ(Requests(pod, kUseStatus), (Written{{"cpu", "1"}, {"memory", "0"}}));
}

struct NonZeroCase {
  const char* name;
  Pod pod;
  NonZeroRequest want;
};

Pod WithPodLevel(Pod pod, const Written& requests) {
  SetPodLevel(pod, requests);
  return pod;
}

Pod WithInit(Pod pod, const Written& requests) {
  pod.spec.init_containers.push_back(Asking("init", requests));
  return pod;
}

TEST(PlacedNonZeroRequest, FillsWhatIsMissing) {
  const NonZeroCase cases[] = {
      {"no container", Pod(), {0, 0}},
      {"one empty container", WithContainers({{}}), {100, 209715200}},
      {"missing, zero and given",
       WithContainers({{}, {{"cpu", "0"}}, {{"cpu", "50m"}, {"memory", "64Mi"}}}),
       {150, 486539264}},
      {"pod-level cpu leaves memory missing",
       WithPodLevel(WithContainers({{}, {}}), {{"cpu", "1"}}),
       {1000, 419430400}},
      {"pod-level cpu and one container's memory",
       WithPodLevel(WithContainers({{{"memory", "1Gi"}}, {}}), {{"cpu", "1"}}),
       {1000, 1073741824}},
      {"empty init container",
       WithInit(WithContainers({{{"cpu", "10m"}, {"memory", "10Mi"}}}), {}),
       {100, 209715200}},
  };
  for (const NonZeroCase& c : cases) {
    EXPECT_EQ(PlacedNonZeroRequest(c.pod), c.want) << c.name;
  }
}

TEST(PlacedNonZeroRequest, SkipsThePodLevelAltogether) {
  const Pod pod = WithPodLevel(WithContainers({{}, {{"memory", "1Gi"}}}), {{"cpu", "1"}});
  EXPECT_EQ(PlacedNonZeroRequest(pod, {.use_status = true, .skip_pod_level = true}),
            (NonZeroRequest{200, 1073741824 + 209715200}));
}

TEST(PlacedNonZeroRequest, UsesTheStatus) {
  Pod pod = WithContainers({{{"cpu", "1"}, {"memory", "1Gi"}}});
  pod.status.container_statuses = {Status("c0", {{"cpu", "2"}}, {{"memory", "2Gi"}})};
  EXPECT_EQ(PlacedNonZeroRequest(pod), (NonZeroRequest{2000, 2147483648}));
}

struct NameCase {
  std::string name;
  bool extended;
  bool scalar;
};

TEST(ResourceNames, HaveClasses) {
  const NameCase cases[] = {
      {"cpu", false, false},
      {"memory", false, false},
      {"gpu", false, false},
      {"hugepages-2Mi", false, true},
      {"attachable-volumes-aws-ebs", false, true},
      {"kubernetes.io/foo", false, true},
      {"sub.kubernetes.io/foo", false, true},
      {"example.com/gpu", true, true},
      {"requests.example.com/gpu", false, false},
      {"Example.com/gpu", false, false},
      {"example.com/", false, false},
      {"example.com/a/b", false, false},
      {"example.com/" + std::string(63, 'n'), true, true},
      {"example.com/" + std::string(64, 'n'), false, false},
      {std::string(244, 'p') + "/n", true, true},  // "requests." makes it 253.
      {std::string(245, 'p') + "/n", false, false},
  };
  for (const NameCase& c : cases) {
    EXPECT_EQ(IsExtendedResource(c.name), c.extended) << c.name;
    EXPECT_EQ(IsScalarResource(c.name), c.scalar) << c.name;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
