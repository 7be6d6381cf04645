#include "observability/scheduling/resource_metrics.h"

#include <gtest/gtest.h>

#include "observability/metrics_testing.h"
#include "testing/object_builders.h"

namespace berth::observability::scheduling {
namespace BERTH_TEST_FILE {

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

std::map<std::string, double> Samples(const api::Pod& pod, const std::string& metric) {
  const std::vector<std::shared_ptr<const api::Pod>> pods = {std::make_shared<const api::Pod>(pod)};
  return Scrape(ResourceMetricsText(pods))[metric].samples;
}

TEST(ResourceMetrics, OfAPlacedPod) {
  api::Pod pod = MakePod("web").Namespace("shop").On("n1").Priority(7).Request("cpu", "1500m");
  pod.spec.scheduler_name = "default-scheduler";
  api::ResourceRequirements& resources = pod.spec.containers[0].resources;
  resources.requests["memory"] = Amount("1Gi");
  resources.requests["example.com/gpu"] = Amount("2");
  resources.requests["hugepages-2Mi"] = Amount("4Mi");
  resources.requests["attachable-volumes-csi-x"] = Amount("3");
  resources.requests["ephemeral-storage"] = Amount("0");
  resources.limits["cpu"] = Amount("2");
  const std::string head =
      "kube_pod_resource_request{namespace=\"shop\",node=\"n1\",pod=\"web\",priority=\"7\","
      "resource=";
  const std::string unit = ",scheduler=\"default-scheduler\",unit=";
  const std::map<std::string, double> requests = {
      {head + "\"cpu\"" + unit + "\"cores\"}", 1.5},
      {head + "\"memory\"" + unit + "\"bytes\"}", 1073741824},
      {head + "\"example.com/gpu\"" + unit + "\"\"}", 2},
      {head + "\"hugepages-2Mi\"" + unit + "\"bytes\"}", 4194304},
      {head + "\"attachable-volumes-csi-x\"" + unit + "\"integer\"}", 3},
  };
  EXPECT_EQ(Samples(pod, "kube_pod_resource_request"), requests);
  const std::map<std::string, double> limits = {
      {"kube_pod_resource_limit{namespace=\"shop\",node=\"n1\",pod=\"web\",priority=\"7\","
       "resource=\"cpu\",scheduler=\"default-scheduler\",unit=\"cores\"}",
       2}};
  EXPECT_EQ(Samples(pod, "kube_pod_resource_limit"), limits);
}

TEST(ResourceMetrics, OverheadIsAddedOnlyToResourcesWithALimit) {
  api::Pod pod = MakePod("web");
  pod.spec.containers.resize(2);
  pod.spec.containers[0].resources.limits["cpu"] = Amount("1");
  pod.spec.containers[1].resources.limits["cpu"] = Amount("2");
  api::Container& init = pod.spec.init_containers.emplace_back();
  init.resources.limits = {{"cpu", Amount("5")}, {"memory", Amount("10")}};
  pod.spec.overhead = {{"cpu", Amount("250m")}, {"pods", Amount("1")}};
  std::vector<double> values;
  for (const auto& [name, value] : Samples(pod, "kube_pod_resource_limit")) values.push_back(value);
  EXPECT_EQ(values, (std::vector<double>{5.25, 10}));

  pod.spec.resources.emplace().limits["cpu"] = Amount("8");
  values.clear();
  for (const auto& [name, value] : Samples(pod, "kube_pod_resource_limit")) values.push_back(value);
  EXPECT_EQ(values, (std::vector<double>{8.25, 10}));
}

TEST(ResourceMetrics, FinishedPodsHaveNone) {
  EXPECT_TRUE(Samples(MakePod("a").On("n").Request("cpu", "1").Phase("Succeeded"),
                      "kube_pod_resource_request")
                  .empty());
  EXPECT_EQ(Samples(MakePod("a").Request("cpu", "1"), "kube_pod_resource_request").size(), 1u);
}

TEST(ResourceMetrics, PodsOfTheModelAreListed) {
  scheduler::model::Cluster cluster;
  for (const char* name : {"b", "a"}) cluster.PutPod(MakePod(name));
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const api::Pod>> pods;
  PodSlices slices;
  while (slices.Read(cluster, 1, pods)) {
  }
  for (const auto& pod : pods) names.push_back(pod->metadata.name);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a"}));
}

// Ids of deleted pods must not make one slice long.
TEST(ResourceMetrics, AreReadInSlicesAcrossIdsWithoutPods) {
  scheduler::model::Cluster cluster;
  for (int i = 0; i < 100; ++i) cluster.PutPod(MakePod("p" + std::to_string(i)));
  for (int i = 0; i < 99; ++i) cluster.Remove<api::Pod>({"default", "p" + std::to_string(i)});
  std::vector<std::shared_ptr<const api::Pod>> pods;
  PodSlices slices;
  EXPECT_TRUE(slices.Read(cluster, 1, pods));
  EXPECT_TRUE(pods.empty());
  while (slices.Read(cluster, 1, pods)) {
  }
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(pods[0]->metadata.name, "p99");
}

TEST(ResourceMetrics, FamiliesArePresentWithoutPods) {
  const auto scraped = Scrape(ResourceMetricsText({}));
  EXPECT_EQ(scraped.size(), 2u);
  for (const auto& [name, family] : scraped) {
    EXPECT_EQ(family.type, "gauge");
    EXPECT_TRUE(family.help.starts_with("[STABLE] "));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability::scheduling
