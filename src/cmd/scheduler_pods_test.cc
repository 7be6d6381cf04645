#include "cmd/scheduler_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

api::Pod PodWith(const std::string& name, const std::string& image) {
  api::Pod pod;
  pod.metadata.namespace_ = "kube-system";
  pod.metadata.name = name;
  pod.spec.node_name = "n1";
  pod.spec.containers.resize(1);
  pod.spec.containers[0].image = image;
  return pod;
}

api::Ref<api::Pod> Running(const std::string& name, const std::string& node = "n1",
                           bool host_network = false) {
  api::Pod pod = PodWith(name, "berth-scheduler:v1");
  pod.spec.node_name = node;
  pod.spec.host_network = host_network;
  return std::make_shared<api::Pod>(std::move(pod));
}

TEST(SchedulerPodsTest, AreKnownByImageOrLabel) {
  for (const char* image :
       {"berth-scheduler", "berth-scheduler:latest", "r.example:5000/a/berth-scheduler",
        "r/berth-scheduler:v1@sha256:0123", "berth-scheduler@sha256:0123"}) {
    EXPECT_TRUE(RunsBerthScheduler(PodWith("p", image))) << image;
  }
  for (const char* image : {"", "kube-scheduler:v1.36.4", "berth-scheduler/other:v1",
                            "my-berth-scheduler", "berth-scheduler-tools"}) {
    EXPECT_FALSE(RunsBerthScheduler(PodWith("p", image))) << image;
  }
  api::Pod labelled = PodWith("p", "ours:v1");
  labelled.metadata.labels = {{"app.kubernetes.io/name", "berth-scheduler"}};
  EXPECT_TRUE(RunsBerthScheduler(labelled));
  labelled.metadata.labels = {{"app", "web"}};
  EXPECT_FALSE(RunsBerthScheduler(labelled));
}

TEST(SchedulerPodsTest, LeadersComeFirst) {
  const std::vector<api::Ref<api::Pod>> pods = {
      Running("berth-scheduler-a"), Running("kube-scheduler-m1", "m1", true),
      Running("kube-scheduler-m2", "m2", true), Running(std::string(70, 'x'))};
  const std::vector<std::string> holders = {"m2_0b3c", "berth-scheduler-b_1", "m3", "_", ""};
  const auto key = [](const std::string& name) { return api::ObjectKey{"kube-system", name}; };
  EXPECT_THAT(FindSchedulerPods(pods, holders),
              ElementsAre(SchedulerPod{key("kube-scheduler-m2"), true},
                          SchedulerPod{key("berth-scheduler-a"), false},
                          SchedulerPod{key("kube-scheduler-m1"), false},
                          SchedulerPod{key(std::string(70, 'x')), false}));
  const std::vector<std::string> cut = {std::string(63, 'x') + "_with_more_1"};
  EXPECT_FALSE(FindSchedulerPods(pods, cut).front().leads);
  const std::vector<std::string> long_name = {std::string(63, 'x') + "_1"};
  EXPECT_EQ(FindSchedulerPods(pods, long_name).front(),
            (SchedulerPod{key(std::string(70, 'x')), true}));
}

TEST(SchedulerPodsTest, FinishedAndPendingOnesAreNotAsked) {
  api::Pod finished = *Running("a");
  finished.status.phase = "Failed";
  const std::vector<api::Ref<api::Pod>> pods = {std::make_shared<api::Pod>(finished),
                                                Running("b", "")};
  EXPECT_THAT(FindSchedulerPods(pods, {}), IsEmpty());
}

TEST(SchedulerPodsTest, HoldersAreReadFromLeases) {
  EXPECT_THAT(LeaseHolders(R"({"items": [{"spec": {"holderIdentity": "m1_a"}}, {"spec": {}},
                                         {"spec": {"holderIdentity": ""}}, 7,
                                         {"spec": {"holderIdentity": "m2_b"}}]})"),
              ElementsAre("m1_a", "m2_b"));
  EXPECT_THAT(LeaseHolders("{}"), IsEmpty());
  EXPECT_THAT(LeaseHolders("nonsense"), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
