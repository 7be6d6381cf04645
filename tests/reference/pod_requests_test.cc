// The reference implementation's requests of pods, and that the plugins' are the same.
#include "scheduler/reference/pod_requests.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "api/pod_resources.h"
#include "base/random.h"
#include "scheduler/model/resources.h"
#include "testing/random_features.h"
#include "testing/random_pod.h"

namespace berth::scheduler::reference {
namespace BERTH_TEST_FILE {

using Written = std::map<std::string, std::string>;

api::ResourceList List(const Written& written) {
  api::ResourceList list;
  for (const auto& [name, text] : written)
    list[name] = api::Quantity::Parse(text).value_or(api::Quantity());
  return list;
}

Written Print(const api::ResourceList& list) {
  Written printed;
  for (const auto& [name, quantity] : list) printed[name] = quantity.ToString();
  return printed;
}

api::Container Asking(const std::string& name, const Written& requests) {
  api::Container container;
  container.name = name;
  container.resources.requests = List(requests);
  return container;
}

const RequestOptions kPlaced{.use_status = true};

TEST(ReferencePodRequests, CountSidecarsBesideLaterInitContainers) {
  api::Pod pod;
  api::Container sidecar = Asking("s", {{"cpu", "500m"}, {"memory", "256Mi"}});
  sidecar.restart_policy = "Always";
  pod.spec.init_containers = {Asking("i1", {{"cpu", "2"}, {"memory", "1Gi"}}), sidecar,
                              Asking("i2", {{"cpu", "2"}, {"memory", "3Gi"}})};
  pod.spec.containers = {Asking("a", {{"cpu", "2"}, {"memory", "1Gi"}}),
                         Asking("b", {{"cpu", "1"}, {"memory", "1Gi"}})};
  EXPECT_EQ(Print(RequestsOf(pod, {})), (Written{{"cpu", "3500m"}, {"memory", "3328Mi"}}));
  pod.spec.overhead = List({{"cpu", "250m"}, {"memory", "128Mi"}});
  pod.spec.resources = api::ResourceRequirements{List({{"cpu", "5"}}), {}};
  EXPECT_EQ(Print(RequestsOf(pod, {})), (Written{{"cpu", "5250m"}, {"memory", "3456Mi"}}));
}

TEST(ReferencePodRequests, APodLevelStatusReplacesOnlyWhatThePodLevelRequestsName) {
  api::Pod pod;
  pod.spec.containers = {Asking("c", {{"cpu", "1"}, {"memory", "4Gi"}})};
  pod.spec.resources = api::ResourceRequirements{List({{"cpu", "2"}}), {}};
  pod.status.resources = api::ResourceRequirements{List({{"cpu", "3"}, {"memory", "2Gi"}}), {}};
  pod.status.allocated_resources = List({{"cpu", "2"}, {"memory", "2Gi"}});
  EXPECT_EQ(Print(RequestsOf(pod, kPlaced)), (Written{{"cpu", "3"}, {"memory", "4Gi"}}));
}

TEST(ReferencePodRequests, DefaultsFillWhatNeitherContainersNorThePodSay) {
  api::Pod pod;
  pod.spec.containers = {Asking("a", {}), Asking("b", {})};
  EXPECT_EQ(Print(NonZeroRequestsOf(pod)), (Written{{"cpu", "200m"}, {"memory", "419430400"}}));
  pod.spec.resources = api::ResourceRequirements{List({{"cpu", "1"}}), {}};
  EXPECT_EQ(Print(NonZeroRequestsOf(pod)), (Written{{"cpu", "1"}, {"memory", "419430400"}}));
}

TEST(ReferencePodRequests, FollowTheGates) {
  api::Pod pod;
  pod.spec.containers = {Asking("c", {{"cpu", "1"}})};
  pod.spec.resources = api::ResourceRequirements{List({{"cpu", "2"}}), {}};
  pod.status.resources = api::ResourceRequirements{List({{"cpu", "3"}}), {}};
  const auto placed = [&](const model::Features& features) {
    return Print(RequestsOf(pod, PlacedRequests(features)));
  };
  EXPECT_EQ(placed({}), (Written{{"cpu", "3"}}));
  EXPECT_EQ(placed({.in_place_pod_level_resources_vertical_scaling = false}),
            (Written{{"cpu", "2"}}));
  EXPECT_EQ(placed({.pod_level_resources = false}), (Written{{"cpu", "1"}}));
}

void ExpectTheSameWith(const model::Features& features, const api::Pod& pod) {
  const api::PodRequestOptions placed = model::PlacedPodRequests(features);
  EXPECT_EQ(RequestsOf(pod, PlacedRequests(features)), api::PodRequests(pod, placed));
  const api::ResourceList non_zero = NonZeroRequestsOf(pod, features);
  const api::NonZeroRequest plugins = api::PlacedNonZeroRequest(pod, placed);
  EXPECT_EQ(non_zero.at("cpu").MilliValue(), plugins.milli_cpu);
  EXPECT_EQ(non_zero.at("memory").Value(), plugins.memory);
}

TEST(ReferencePodRequests, AreThoseOfThePluginsForRandomPods) {
  constexpr uint64_t kPods = 3000;
  Random random(20), gates(21);
  int resized = 0;
  for (uint64_t number = 0; number < kPods; ++number) {
    api::Pod pod = generate::RandomPod(random, number);
    generate::Place(random, number, "n1", pod);
    resized += pod.status.resources && pod.spec.resources ? 1 : 0;
    EXPECT_EQ(RequestsOf(pod, {}), api::PodRequests(pod, {}));
    EXPECT_EQ(RequestsOf(pod, kPlaced), api::PodRequests(pod, {.use_status = true}));
    EXPECT_EQ(RequestsOf(pod, {.skip_pod_level = true, .defaults = DefaultRequests()}),
              api::PodRequests(pod, {.skip_pod_level = true, .non_missing = DefaultRequests()}));
    const api::ResourceList non_zero = NonZeroRequestsOf(pod);
    const api::NonZeroRequest plugins = api::PlacedNonZeroRequest(pod);
    EXPECT_EQ(non_zero.at("cpu").MilliValue(), plugins.milli_cpu);
    EXPECT_EQ(non_zero.at("memory").Value(), plugins.memory);
    ExpectTheSameWith(RandomFeatures(gates), pod);
    ASSERT_FALSE(HasFailure()) << pod.metadata.name;
  }
  EXPECT_GT(resized, 5);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::reference
