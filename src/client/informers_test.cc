#include "client/informers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/requests_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

class AllInformers : public ::testing::Test {
 protected:
  std::vector<std::string> Paths() {
    std::vector<std::string> paths;
    for (const auto& asked : requests.asked) {
      const std::string& path = asked.request.path;
      paths.push_back(path.substr(0, path.find('?')));
    }
    return paths;
  }
  Informers Make(bool protobuf = false) {
    return {requests,
            timers,
            {.protobuf = protobuf},
            [this](std::vector<api::ObjectChange> events) { told += events.size(); },
            [this] { ++syncs; },
            [](const std::string&) {}};
  }

  FakeRequests requests;
  FakeTimers timers;
  size_t told = 0;
  int syncs = 0;
};

TEST_F(AllInformers, ReadWhatKubeSchedulerReads) {
  auto informers = Make();
  informers.Start();
  EXPECT_THAT(
      Paths(),
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
  EXPECT_EQ(Paths(), WatchedPaths());
  EXPECT_THAT(
      requests.asked.back().request.path,
      ::testing::EndsWith("&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed"));
}

TEST_F(AllInformers, AreSyncedWhenTheLastIs) {
  auto informers = Make();
  informers.Start();
  const size_t count = requests.asked.size();
  for (size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(informers.synced());
    const auto stream = requests.asked[i].stream;
    if (i == 2) {
      stream.on_head(404, "text/plain");
      stream.on_end({});
      continue;
    }
    stream.on_head(200, "application/json");
    stream.on_data(
        Doc("{'type':'ADDED','object':{'metadata':{'name':'a','uid':'u',"
            "'resourceVersion':'5'}}}{'type':'BOOKMARK','object':{'metadata':{"
            "'resourceVersion':'6','annotations':{'k8s.io/initial-events-end':'true'"
            "}}}}"));
  }
  EXPECT_TRUE(informers.synced());
  EXPECT_EQ(syncs, 1);
  EXPECT_EQ(told, count - 1);
  const auto states = informers.states();
  EXPECT_EQ(states.at(2).objects, 0U);
  EXPECT_EQ(states.back().resource, "pods");
  EXPECT_EQ(states.back().resource_version, "6");
  EXPECT_EQ(states.back().objects, 1U);
  EXPECT_NE(informers.told("pods")->Find("default", "a"), nullptr);
  EXPECT_EQ(informers.told("secrets"), nullptr);
}

TEST_F(AllInformers, AskForProtobufOnlyWherePodsAndNodesAre) {
  auto informers = Make(true);
  informers.Start();
  std::vector<std::string> paths;
  for (size_t i = 0; i < requests.asked.size(); ++i) {
    if (requests.asked[i].request.accept != "application/json") paths.push_back(Paths()[i]);
  }
  EXPECT_THAT(paths, ElementsAre("/api/v1/nodes", "/api/v1/pods"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
