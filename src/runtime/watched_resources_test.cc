#include "runtime/watched_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

TEST(WatchedResourcesTest, AreTheCollectionsThatKubeSchedulerReads) {
  std::vector<std::string> paths;
  for (const WatchedResource& watched : WatchedResources({})) paths.push_back(watched.path());
  EXPECT_THAT(
      paths,
      ElementsAre("/api/v1/namespaces", "/api/v1/nodes", "/apis/storage.k8s.io/v1/csinodes",
                  "/apis/storage.k8s.io/v1/csidrivers", "/apis/storage.k8s.io/v1/storageclasses",
                  "/apis/storage.k8s.io/v1/csistoragecapacities",
                  "/apis/storage.k8s.io/v1/volumeattachments", "/api/v1/persistentvolumes",
                  "/api/v1/persistentvolumeclaims", "/api/v1/services",
                  "/api/v1/replicationcontrollers", "/apis/apps/v1/replicasets",
                  "/apis/apps/v1/statefulsets", "/apis/resource.k8s.io/v1/resourceclaims",
                  "/apis/resource.k8s.io/v1/deviceclasses",
                  "/apis/resource.k8s.io/v1/resourceslices", "/apis/policy/v1/poddisruptionbudgets",
                  "/api/v1/pods"));
}

TEST(WatchedResourcesTest, PodGroupsAreWatchedIfThereAreAny) {
  scheduler::model::Features features;
  features.generic_workload = true;
  const auto watched = WatchedResources(features);
  EXPECT_EQ(watched.size(), WatchedResources({}).size() + 1);
  EXPECT_EQ(watched[watched.size() - 2].path(), "/apis/scheduling.k8s.io/v1alpha2/podgroups");
  EXPECT_EQ(WatchSources(features, false)[watched.size() - 2].other_path,
            "/apis/scheduling.k8s.io/v1beta1/podgroups");
}

TEST(WatchedResourcesTest, OnlyPodsAndNodesHaveRawJsonForExtenders) {
  std::vector<std::string> raw;
  const auto plain = WatchSources({}, false);
  const auto with_raw_json = WatchSources({}, true);
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i].codec.json != with_raw_json[i].codec.json)
      raw.push_back(with_raw_json[i].resource);
  }
  EXPECT_THAT(raw, ElementsAre("nodes", "pods"));
  EXPECT_EQ(with_raw_json.back().field_selector, "status.phase!=Succeeded,status.phase!=Failed");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
