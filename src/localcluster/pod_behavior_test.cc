// The life of pods by annotations and stages.
#include "localcluster/pod_behavior.h"

#include <algorithm>
#include <memory>

#include "localcluster/local_cluster_testing.h"
#include "localcluster/stage_reader.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const PodStages> Stages(std::string_view text) {
  auto stages = ReadStages(text, "stages.yaml");
  EXPECT_TRUE(stages) << stages.error().message;
  return std::make_shared<const PodStages>(stages ? *stages : PodStages());
}

std::string StageOf(std::string_view name, std::string_view spec) {
  return fmt::format(
      "apiVersion: berth.dev/v1alpha1\nkind: Stage\nmetadata: {{name: {}}}\nspec: {{{}}}\n---\n",
      name, spec);
}

// Returns what kubectl prints in the columns READY, STATUS and RESTARTS: "0/1 Error 2".
std::string ShowPod(const JsonObject& pod) {
  const JsonObject* status = ObjectAt(&pod, "status");
  std::string text(StringAt(status, "phase"));
  if (!StringAt(status, "reason").empty()) text = StringAt(status, "reason");
  int ready = 0;
  int64_t restarts = 0;
  const auto containers = ObjectsAt(status, "containerStatuses");
  for (const JsonObject& container : containers) {
    const JsonObject* state = ObjectAt(&container, "state");
    ready += BoolAt(&container, "ready") ? 1 : 0;
    restarts += IntAt(&container, "restartCount").value_or(0);
    for (const std::string_view key : {"waiting", "terminated"}) {
      const std::string_view reason = StringAt(ObjectAt(state, key), "reason");
      if (!reason.empty()) text = reason;
    }
  }
  if (At(ObjectAt(&pod, "metadata"), "deletionTimestamp")) text = "Terminating";
  return fmt::format("{}/{} {} {}", ready, containers.size(), text, restarts);
}

struct LifeCluster : TestCluster {
  explicit LifeCluster(LocalClusterOptions options = {}) : TestCluster(std::move(options)) {
    AddNodes(2);
  }
  explicit LifeCluster(std::string_view stages) : LifeCluster({.stages = Stages(stages)}) {}

  void AddPod(std::string_view annotations, std::string_view policy = "Always") {
    Make("pods", fmt::format("{{'metadata':{{'name':'a','labels':{{'app':'web'}},'annotations':"
                             "{{{}}}}},'spec':{{'restartPolicy':'{}','containers':[{{'name':'c',"
                             "'image':'i'}}]}}}}",
                             annotations, policy));
    Run();
  }
  std::string Show(std::string_view name = "a") const {
    const Json pod = Get("pods", name);
    return pod.is_object() ? ShowPod(pod.get_object()) : "gone";
  }
  // Returns what kubectl shows of the pod from now on for so many seconds, each change once:
  // "0: 1/1 Running 0".
  std::vector<std::string> Watch(int64_t seconds) {
    std::vector<std::string> seen;
    std::string last;
    for (int64_t second = 0; second <= seconds; ++second) {
      if (second > 0) AdvanceSeconds(1);
      const std::string shown = Show();
      if (shown != last) seen.push_back(fmt::format("{}: {}", second, shown));
      last = shown;
    }
    return seen;
  }
};

TEST(PodBehavior, ASlowPodIsCreatedFirst) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/start-seconds':'3'");
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=False(ContainersNotReady) Initialized=True "
            "PodReadyToStartContainers=False PodScheduled=True Ready=False(ContainersNotReady)");
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'phase':'Pending','hostIP':'172.16.0.1','podIP':null,"
               "'startTime':'2026-01-01T00:00:00Z'}}");
  EXPECT_THAT(cluster.Watch(100), ElementsAre("0: 0/1 ContainerCreating 0", "3: 1/1 Running 0"));
  EXPECT_HOLDS(
      cluster.Get("pods", "a"),
      "{'status':{'phase':'Running','podIP':'10.0.4.1','startTime':'2026-01-01T00:00:00Z',"
      "'containerStatuses':[{'state':{'running':{'startedAt':'2026-01-01T00:00:03Z'}}}]}}");
}

TEST(PodBehavior, DelaysOfLessThanASecondAreExact) {
  LifeCluster cluster;
  cluster.AdvanceTime(Duration::Millis(700));
  cluster.AddPod("'berth.dev/start-seconds':'0.6'");
  cluster.AdvanceTime(Duration::Millis(590));
  EXPECT_EQ(cluster.Show(), "0/1 ContainerCreating 0");
  cluster.AdvanceTime(Duration::Millis(10));
  EXPECT_EQ(cluster.Show(), "1/1 Running 0");
}

TEST(PodBehavior, InitContainersAreSeen) {
  LifeCluster cluster;
  cluster.Make("pods",
               "{'metadata':{'name':'a','annotations':{'berth.dev/start-seconds':'3'}},'spec':{"
               "'initContainers':[{'name':'first','image':'i'}],"
               "'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  EXPECT_THAT(cluster.Conditions("pods", "a"),
              HasSubstr("Initialized=False(ContainersNotInitialized)"));
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'initContainerStatuses':[{'name':'first','state':{'waiting':{"
               "'reason':'PodInitializing'}}}],'containerStatuses':[{'state':{'waiting':{"
               "'reason':'PodInitializing'}}}]}}");
  cluster.AdvanceSeconds(3);
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'initContainerStatuses':[{'state':{'terminated':{'exitCode':0,"
               "'reason':'Completed'}}}]}}");
}

TEST(PodBehavior, BackoffsOfACrashLoopDouble) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/run-seconds':'2','berth.dev/exit-code':'3'");
  EXPECT_THAT(cluster.Watch(85),
              ElementsAre("0: 1/1 Running 0", "2: 0/1 Error 0", "3: 1/1 Running 1",
                          "5: 0/1 Error 1", "6: 0/1 CrashLoopBackOff 1", "15: 1/1 Running 2",
                          "17: 0/1 Error 2", "18: 0/1 CrashLoopBackOff 2", "37: 1/1 Running 3",
                          "39: 0/1 Error 3", "40: 0/1 CrashLoopBackOff 3", "79: 1/1 Running 4",
                          "81: 0/1 Error 4", "82: 0/1 CrashLoopBackOff 4"));
  EXPECT_THAT(cluster.EventsOf("a"),
              Contains(HasSubstr("Warning BackOff Back-off restarting failed container c in pod "
                                 "a_default(")));
  const Json pod = cluster.Get("pods", "a");
  EXPECT_HOLDS(pod,
               "{'status':{'phase':'Running','containerStatuses':[{'started':false,"
               "'lastState':{'terminated':{'exitCode':3,'reason':'Error',"
               "'startedAt':'2026-01-01T00:01:19Z','finishedAt':'2026-01-01T00:01:21Z'}}}]}}");
  const JsonObject& container =
      ObjectsAt(ObjectAt(AsObject(pod), "status"), "containerStatuses").front();
  EXPECT_THAT(std::string(StringAt(ObjectAt(ObjectAt(&container, "state"), "waiting"), "message")),
              HasSubstr("back-off 1m20s restarting failed container=c pod=a_default("));
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=False(ContainersNotReady) Initialized=True "
            "PodReadyToStartContainers=True PodScheduled=True Ready=False(ContainersNotReady)");
}

TEST(PodBehavior, TheLongestBackoffIsFiveMinutes) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/run-seconds':'0','berth.dev/exit-code':'1'");
  cluster.AdvanceSeconds(4000);
  const std::vector<std::string> seen = cluster.Watch(310);
  EXPECT_EQ(std::ranges::count_if(
                seen, [](const std::string& text) { return text.ends_with(" Running 16"); }),
            0);
  EXPECT_EQ(seen.size(), 3u) << fmt::format("{}", fmt::join(seen, "\n"));
}

TEST(PodBehavior, AContainerThatRanForLongIsRestartedAtOnce) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/run-seconds':'700','berth.dev/exit-code':'1'");
  cluster.AdvanceSeconds(3 * 701);
  EXPECT_EQ(cluster.Show(), "1/1 Running 3");
}

TEST(PodBehavior, ACrashLoopMayEnd) {
  LifeCluster cluster;
  cluster.AddPod(
      "'berth.dev/run-seconds':'1','berth.dev/exit-code':'1','berth.dev/exit-times':'2'");
  EXPECT_THAT(cluster.Watch(1000),
              ElementsAre("0: 1/1 Running 0", "1: 0/1 Error 0", "2: 1/1 Running 1",
                          "3: 0/1 Error 1", "4: 0/1 CrashLoopBackOff 1", "13: 1/1 Running 2"));
}

TEST(PodBehavior, ImagesCannotBePulled) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/image-pull-failures':'always','berth.dev/start-seconds':'1'");
  EXPECT_THAT(cluster.Watch(60), ElementsAre("0: 0/1 ContainerCreating 0", "1: 0/1 ErrImagePull 0",
                                             "2: 0/1 ImagePullBackOff 0", "11: 0/1 ErrImagePull 0",
                                             "12: 0/1 ImagePullBackOff 0", "31: 0/1 ErrImagePull 0",
                                             "32: 0/1 ImagePullBackOff 0"));
  EXPECT_HOLDS(
      cluster.Get("pods", "a"),
      "{'status':{'phase':'Pending','podIP':'10.0.4.1','containerStatuses':[{'imageID':'',"
      "'state':{'waiting':{'message':'Back-off pulling image \\'i\\': ErrImagePull: the image "
      "cannot be pulled: simulated failure 3'}}}]}}");
  EXPECT_THAT(
      cluster.EventsOf("a"),
      ::testing::IsSupersetOf(
          {"Normal Pulling Pulling image \"i\" (x3)",
           "Warning Failed Failed to pull image \"i\": the image cannot be pulled: simulated "
           "failure 1",
           "Warning Failed Error: ErrImagePull (x3)",
           "Normal BackOff Back-off pulling image \"i\" (x3)",
           "Warning Failed Error: ImagePullBackOff (x3)"}));
  // Later on, the image is pulled every five minutes.
  cluster.AdvanceSeconds(1 + 310 + 300 * 9 - 60 - 2);
  EXPECT_EQ(cluster.Show(), "0/1 ImagePullBackOff 0");
  cluster.AdvanceSeconds(2);
  EXPECT_EQ(cluster.Show(), "0/1 ErrImagePull 0");
}

TEST(PodBehavior, ImagesArePulledInTheEnd) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/image-pull-failures':'2'");
  EXPECT_THAT(cluster.Watch(1000), ElementsAre("0: 0/1 ErrImagePull 0", "1: 0/1 ImagePullBackOff 0",
                                               "10: 0/1 ErrImagePull 0",
                                               "11: 0/1 ImagePullBackOff 0", "30: 1/1 Running 0"));
}

TEST(PodBehavior, ReadinessTakesAWhile) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/ready-seconds':'5','berth.dev/run-seconds':'20'");
  EXPECT_THAT(cluster.Watch(27),
              ElementsAre("0: 0/1 Running 0", "5: 1/1 Running 0", "20: 0/1 Completed 0",
                          "21: 0/1 Running 1", "26: 1/1 Running 1"));
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=True Initialized=True PodReadyToStartContainers=True "
            "PodScheduled=True Ready=True");
}

TEST(PodBehavior, APodIsNeverReady) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/ready-seconds':'never'");
  EXPECT_THAT(cluster.Watch(1000), ElementsAre("0: 0/1 Running 0"));
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=False(ContainersNotReady) Initialized=True "
            "PodReadyToStartContainers=True PodScheduled=True Ready=False(ContainersNotReady)");
}

TEST(PodBehavior, PodsEndWithTheirOutcome) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/run-seconds':'5'", "Never");
  EXPECT_THAT(cluster.Watch(100), ElementsAre("0: 1/1 Running 0", "5: 0/1 Completed 0"));
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=False(PodCompleted) Initialized=True(PodCompleted) "
            "PodReadyToStartContainers=False PodScheduled=True Ready=False(PodCompleted)");
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'phase':'Succeeded','containerStatuses':[{'state':{'terminated':{"
               "'exitCode':0,'startedAt':'2026-01-01T00:00:00Z',"
               "'finishedAt':'2026-01-01T00:00:05Z'}}}]}}");
}

TEST(PodBehavior, DeletionTakesAWhile) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/stop-seconds':'7'");
  cluster.Delete("pods", "a");
  cluster.Run();
  EXPECT_THAT(cluster.EventsOf("a"), Contains("Normal Killing Stopping container c"));
  EXPECT_THAT(cluster.Watch(20), ElementsAre("0: 1/1 Terminating 0", "7: gone"));
}

struct KilledCase {
  const char* name;
  int64_t grace;
  int64_t seconds;
  const char* want;
};

class Killed : public ::testing::TestWithParam<KilledCase> {};

// The finalizer lets one see the pod after its containers have ended.
TEST_P(Killed, AfterItsGracePeriod) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/stop-seconds':'7'");
  cluster.Merge("pods", "a", "{'metadata':{'finalizers':['example.com/x']}}");
  cluster.Delete("pods", "a", {.grace_period_seconds = GetParam().grace});
  cluster.AdvanceSeconds(GetParam().seconds - 1);
  EXPECT_HOLDS(cluster.Get("pods", "a"), "{'status':{'phase':'Running'}}");
  cluster.AdvanceSeconds(1);
  EXPECT_HOLDS(cluster.Get("pods", "a"), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    PodBehavior, Killed,
    ::testing::Values(
        KilledCase{"EndsInTime", 30, 7,
                   "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':{"
                   "'exitCode':143,'reason':'Error'}}}]}}"},
        KilledCase{"TooLate", 5, 5,
                   "{'status':{'phase':'Failed','containerStatuses':[{'state':{'terminated':{"
                   "'exitCode':137,'reason':'Error'}}}]}}"}),
    [](const auto& each) { return each.param.name; });

struct AnnotationCase {
  const char* name;
  const char* annotation;
  const char* want;
};

class InvalidAnnotations : public ::testing::TestWithParam<AnnotationCase> {};

TEST_P(InvalidAnnotations, AreSeenInTheStatus) {
  LifeCluster cluster;
  cluster.AddPod(GetParam().annotation);
  EXPECT_THAT(cluster.Watch(1000), ElementsAre("0: 0/1 CreateContainerConfigError 0"));
  const std::string problem = fmt::format("metadata.annotations[berth.dev/{}", GetParam().want);
  EXPECT_THAT(cluster.EventsOf("a"), Contains("Warning Failed Error: " + problem));
  const Json pod = cluster.Get("pods", "a");
  const JsonObject& container =
      ObjectsAt(ObjectAt(AsObject(pod), "status"), "containerStatuses").front();
  EXPECT_EQ(StringAt(ObjectAt(ObjectAt(&container, "state"), "waiting"), "message"), problem);
  // A pod that is corrected starts.
  cluster.Merge("pods", "a", "{'metadata':{'annotations':null}}");
  cluster.Run();
  EXPECT_EQ(cluster.Show(), "1/1 Running 0");
}

#define SECONDS "must be a number of seconds from 0 to 1000000000"

INSTANTIATE_TEST_SUITE_P(
    PodBehavior, InvalidAnnotations,
    ::testing::Values(
        AnnotationCase{"Text", "'berth.dev/run-seconds':'5s'",
                       "run-seconds]: Invalid value: \"5s\": " SECONDS ", or forever"},
        AnnotationCase{"Empty", "'berth.dev/start-seconds':''",
                       "start-seconds]: Invalid value: \"\": " SECONDS},
        AnnotationCase{"Negative", "'berth.dev/stop-seconds':'-1'",
                       "stop-seconds]: Invalid value: \"-1\": " SECONDS},
        AnnotationCase{"Infinite", "'berth.dev/stop-seconds':'inf'",
                       "stop-seconds]: Invalid value: \"inf\": " SECONDS},
        AnnotationCase{"NotANumber", "'berth.dev/ready-seconds':'nan'",
                       "ready-seconds]: Invalid value: \"nan\": " SECONDS ", or never"},
        AnnotationCase{"TooLong", "'berth.dev/ready-seconds':'1000000000.5'",
                       "ready-seconds]: Invalid value: \"1000000000.5\": " SECONDS ", or never"},
        AnnotationCase{"Decimals", "'berth.dev/exit-code':'1.5'",
                       "exit-code]: Invalid value: \"1.5\": must be an integer from 0 to 255"},
        AnnotationCase{"TooLarge", "'berth.dev/exit-code':'256'",
                       "exit-code]: Invalid value: \"256\": must be an integer from 0 to 255"},
        AnnotationCase{"NoTimes", "'berth.dev/exit-times':'0'",
                       "exit-times]: Invalid value: \"0\": must be an integer from 1 to 1000000"},
        AnnotationCase{"OtherWord", "'berth.dev/image-pull-failures':'never'",
                       "image-pull-failures]: Invalid value: \"never\": must be an integer from 0 "
                       "to 1000000, or always"},
        AnnotationCase{"Misspelt", "'berth.dev/run-second':'5'",
                       "run-second]: unknown annotation; did you mean berth.dev/run-seconds?"}),
    [](const auto& each) { return each.param.name; });

TEST(PodBehavior, OtherAnnotationsOfTheDomainAreNobodysBusiness) {
  LifeCluster cluster;
  cluster.AddPod("'berth.dev/team':'a','example.com/run-seconds':'x'");
  EXPECT_EQ(cluster.Show(), "1/1 Running 0");
}

TEST(Stages, AnnotationsComeFirst) {
  LifeCluster cluster(
      StageOf("slow", "delay: {durationMilliseconds: 5000}, next: {status: Running}") +
      StageOf("ends", "delay: {durationMilliseconds: 5000}, next: {status: Error}"));
  cluster.AddPod("'berth.dev/start-seconds':'2','berth.dev/run-seconds':'forever'");
  EXPECT_THAT(cluster.Watch(100), ElementsAre("0: 0/1 ContainerCreating 0", "2: 1/1 Running 0"));
}

TEST(Stages, DecideAboutEachMoment) {
  LifeCluster cluster(
      StageOf("starts", "delay: {durationMilliseconds: 1000}, next: {status: Running}") +
      StageOf("gets-ready", "delay: {durationMilliseconds: 2000}, next: {status: Ready}") +
      StageOf("crashes",
              "delay: {durationMilliseconds: 4000}, next: {status: OOMKilled, times: 1}") +
      StageOf("goes", "delay: {durationMilliseconds: 3000}, next: {status: Deleted}"));
  cluster.AddPod("");
  EXPECT_THAT(cluster.Watch(50),
              ElementsAre("0: 0/1 ContainerCreating 0", "1: 0/1 Running 0", "3: 1/1 Running 0",
                          "5: 0/1 OOMKilled 0", "6: 0/1 Running 1", "8: 1/1 Running 1"));
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'containerStatuses':[{'lastState':{'terminated':{'exitCode':137,"
               "'reason':'OOMKilled'}}}]}}");
  cluster.Delete("pods", "a");
  EXPECT_THAT(cluster.Watch(20), ElementsAre("0: 1/1 Terminating 1", "3: gone"));
}

TEST(Stages, ImagePullsFailSoManyTimes) {
  LifeCluster cluster(StageOf("fails", "next: {status: ImagePullBackOff, times: 1}"));
  cluster.AddPod("");
  EXPECT_THAT(cluster.Watch(50), ElementsAre("0: 0/1 ErrImagePull 0", "1: 0/1 ImagePullBackOff 0",
                                             "10: 1/1 Running 0"));
}

constexpr std::string_view kFailingJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  backoffLimit: 2
  template:
    metadata: {labels: {app: work}}
    spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
)";

TEST(Stages, AJobReachesItsBackoffLimit) {
  LifeCluster cluster(
      StageOf("jobs",
              "selector: {matchExpressions: [{key: '.metadata.ownerReferences[].kind', operator: "
              "In, values: [Job]}]}, delay: {durationMilliseconds: 2000}, next: {status: Error}"));
  cluster.AddPod("");
  cluster.Apply(kFailingJob);
  cluster.AdvanceSeconds(100);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(BackoffLimitExceeded) FailureTarget=True(BackoffLimitExceeded)");
  EXPECT_EQ(cluster.ShowPods(), "1 a Running, 3 work-* Failed");
}

TEST(Stages, AJobRestartsItsContainersUpToTheLimit) {
  LifeCluster cluster(
      StageOf("twice",
              "selector: {matchLabels: {app: work}}, delay: {durationMilliseconds: 1000}, "
              "next: {status: Error, times: 1}"));
  std::string job(kFailingJob);
  job.replace(job.find("Never"), 5, "OnFailure");
  cluster.Apply(job);
  cluster.AdvanceSeconds(100);
  // The container fails once, and then completes like those of any Job.
  EXPECT_THAT(cluster.Conditions("jobs.batch", "work"), HasSubstr("Complete=True"));
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Succeeded");
}

constexpr std::string_view kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  progressDeadlineSeconds: 60
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
)";

TEST(Stages, ADeploymentWaitsForItsPods) {
  LifeCluster cluster(
      StageOf("never",
              "selector: {matchExpressions: [{key: .metadata.namespace, operator: In, "
              "values: [default]}]}, next: {status: NotReady}"));
  cluster.Apply(kDeployment);
  cluster.AdvanceSeconds(50);
  EXPECT_EQ(cluster.ShowPods(), "3 web-#-* Running?");
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"),
            "Available=False(MinimumReplicasUnavailable) Progressing=True(ReplicaSetUpdated)");
  cluster.AdvanceSeconds(20);
  EXPECT_EQ(cluster.Conditions("deployments.apps", "web"),
            "Available=False(MinimumReplicasUnavailable) "
            "Progressing=False(ProgressDeadlineExceeded)");
}

// Returns all changes of pods that a watch would see, with their times. Names of pods are generated
// and not among them.
std::vector<std::string> RunWithSeed(uint64_t seed, int other_objects) {
  LifeCluster cluster(
      {.stages =
           Stages(StageOf("slow",
                          "delay: {durationMilliseconds: 500, jitterDurationMilliseconds: 9000}, "
                          "next: {status: Running}") +
                  StageOf("crashes",
                          "weight: 1, delay: {durationMilliseconds: 100, "
                          "jitterDurationMilliseconds: 5000}, next: {status: Error}") +
                  StageOf("lasts", "weight: 1, next: {status: KeepsRunning}")),
       .seed = seed});
  // They make the names and uids of the pods different.
  for (int i = 0; i < other_objects; ++i) {
    cluster.Make("configmaps", fmt::format("{{'metadata':{{'name':'c{}'}}}}", i));
  }
  auto cursor = cluster.store->Watch(Pods().collection, cluster.store->version(), [] {});
  cluster.Apply(kDeployment);
  std::vector<std::string> changes;
  for (int second = 0; second < 120; ++second) {
    cluster.AdvanceSeconds(1);
    std::vector<apiserver::store::Event> events;
    EXPECT_TRUE(cursor->Read(1000, events));
    for (const apiserver::store::Event& event : events) {
      const Json pod = apiserver::store::Parse(*event.object);
      changes.push_back(fmt::format("{}: {}", second, ShowPod(pod.get_object())));
    }
  }
  return changes;
}

TEST(Stages, TheSameSeedGivesTheSameLives) {
  const std::vector<std::string> first = RunWithSeed(5, 0);
  EXPECT_GT(first.size(), 10u);
  EXPECT_EQ(RunWithSeed(5, 3), first);
  EXPECT_NE(RunWithSeed(6, 0), first);
}

TEST(Stages, LeaveNothingBehind) {
  LifeCluster cluster(
      StageOf("slow", "delay: {durationMilliseconds: 1000}, next: {status: Running}"));
  cluster.Apply(kDeployment);
  cluster.AdvanceSeconds(5);
  cluster.Delete("deployments.apps", "web", {.propagation_policy = "Background"});
  cluster.AdvanceSeconds(5);
  for (const std::string& name : cluster.Names(Nodes())) cluster.Delete("nodes", name);
  cluster.AdvanceSeconds(300);
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
