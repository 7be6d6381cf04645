#include "localcluster/event_recorder.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct RecorderFixture : TestCluster {
  void Record(std::string_view reason, std::string message, std::string_view name = "a") {
    recorder.Record({Pods(), {"default", std::string(name)}, "uid-" + std::string(name)},
                    EventType::kNormal, reason, std::move(message), "tester");
  }
  EventRecorder recorder{api, clock};
};

TEST(EventRecorder, WritesAnEvent) {
  RecorderFixture fixture;
  fixture.Record("Started", "Container started");
  EXPECT_THAT(fixture.EventsOf("a"), IsEmpty());
  EXPECT_TRUE(fixture.recorder.Write(10));
  EXPECT_FALSE(fixture.recorder.Write(10));
  EXPECT_THAT(fixture.EventsOf("a"), ElementsAre("Normal Started Container started"));
  const auto events = fixture.Names(api::scheme::KindOf("events"));
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_HOLDS(fixture.Get("events", events[0]),
               "{'involvedObject':{'kind':'Pod','apiVersion':'v1','namespace':'default','name':'a',"
               "'uid':'uid-a'},'source':{'component':'tester'},'reportingComponent':'tester',"
               "'count':1,'firstTimestamp':'2026-01-01T00:00:00Z',"
               "'lastTimestamp':'2026-01-01T00:00:00Z'}");
}

TEST(EventRecorder, CountsRepetitions) {
  RecorderFixture fixture;
  for (int i = 0; i < 3; ++i) {
    fixture.Record("BackOff", "again");
    fixture.recorder.Write(10);
    fixture.clock.Advance(Duration::Seconds(10));
  }
  EXPECT_THAT(fixture.EventsOf("a"), ElementsAre("Normal BackOff again (x3)"));
}

TEST(EventRecorder, LimitsTheEventsOfAnObject) {
  RecorderFixture fixture;
  for (int i = 0; i < 100; ++i) fixture.Record("Created", fmt::format("pod {}", i));
  fixture.Record("Created", "pod of b", "b");
  fixture.recorder.Write(1000);
  EXPECT_THAT(fixture.EventsOf("a"), SizeIs(25));
  EXPECT_THAT(fixture.EventsOf("b"), SizeIs(1));
  fixture.clock.Advance(Duration::Seconds(600));
  for (int i = 100; i < 110; ++i) fixture.Record("Created", fmt::format("pod {}", i));
  fixture.recorder.Write(1000);
  EXPECT_THAT(fixture.EventsOf("a"), SizeIs(27));
}

TEST(EventRecorder, DropsWhatDoesNotFit) {
  RecorderFixture fixture;
  for (size_t i = 0; i < EventRecorder::kMaxWaiting + 10; ++i) {
    fixture.Record("Started", "x", fmt::format("p{}", i));
  }
  EXPECT_EQ(fixture.recorder.waiting(), EventRecorder::kMaxWaiting);
}

TEST(EventRecorder, EventsExpireAfterAnHour) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods", apiserver::registry::kPodA);
  cluster.AdvanceSeconds(3500);
  EXPECT_THAT(cluster.EventsOf("a"), SizeIs(3));
  cluster.AdvanceSeconds(800);
  EXPECT_THAT(cluster.EventsOf("a"), IsEmpty());
}

// What `kubectl describe` shows after an ordinary rollout.
TEST(Events, TellTheStoryOfADeployment) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)");
  const std::string set = cluster.Names(ReplicaSets()).front();
  const std::string pod = cluster.Names(Pods()).front();
  EXPECT_THAT(
      cluster.EventsOf("web"),
      ElementsAre("Normal ScalingReplicaSet Scaled up replica set " + set + " from 0 to 1"));
  EXPECT_THAT(cluster.EventsOf(set), ElementsAre("Normal SuccessfulCreate Created pod: " + pod));
  EXPECT_THAT(cluster.EventsOf(pod),
              ElementsAre("Normal Pulled Container image \"nginx\" already present on machine and "
                          "can be accessed by the pod",
                          "Normal Created Container created", "Normal Started Container started"));
  cluster.Merge("deployments.apps", "web", "{'spec':{'replicas':0}}");
  cluster.Run();
  EXPECT_THAT(cluster.EventsOf("web"),
              Contains("Normal ScalingReplicaSet Scaled down replica set " + set + " from 1 to 0"));
  EXPECT_THAT(cluster.EventsOf(set), Contains("Normal SuccessfulDelete Deleted pod: " + pod));
  EXPECT_THAT(cluster.EventsOf(pod), Contains("Normal Killing Stopping container c"));
  EXPECT_THAT(cluster.EventsOf("node-0"),
              Contains("Normal RegisteredNode Node node-0 event: Registered Node node-0 in "
                       "Controller"));
}

TEST(Events, TellWhyAPodRestarts) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               "{'metadata':{'name':'a','annotations':{'berth.dev/run-seconds':'5',"
               "'berth.dev/exit-code':'1'}},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  // It is restarted at once after 5 seconds, and with a backoff after the next 5.
  cluster.AdvanceSeconds(12);
  EXPECT_THAT(cluster.EventsOf("a"),
              Contains(HasSubstr("Warning BackOff Back-off restarting failed container c in pod "
                                 "a_default(")));
  cluster.AdvanceSeconds(10);
  EXPECT_THAT(cluster.EventsOf("a"), Contains("Normal Started Container started (x3)"));
}

TEST(Events, OfStatefulSetsDaemonSetsAndJobs) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(R"(
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: nginx}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}
)");
  cluster.AdvanceSeconds(20);
  EXPECT_THAT(cluster.EventsOf("db"),
              ElementsAre("Normal SuccessfulCreate create Claim data-db-0 Pod db-0 in StatefulSet "
                          "db success",
                          "Normal SuccessfulCreate create Pod db-0 in StatefulSet db successful"));
  EXPECT_THAT(cluster.EventsOf("agent"),
              ElementsAre(HasSubstr("Normal SuccessfulCreate Created pod: agent-")));
  EXPECT_THAT(cluster.EventsOf("work"),
              ElementsAre(HasSubstr("Normal SuccessfulCreate Created pod: work-"),
                          "Normal Completed Job completed"));
  EXPECT_THAT(cluster.EventsOf("data-db-0"),
              Contains(HasSubstr("Normal FailedBinding no persistent volumes available for this "
                                 "claim and no storage class is set")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
