#include "localcluster/job.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;

std::string Job(std::string_view spec,
                std::string_view annotations = "berth.dev/run-seconds: '10'") {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: work}}
spec:
  template:
    metadata: {{annotations: {{{}}}}}
    spec: {{restartPolicy: Never, containers: [{{name: c, image: nginx}}]}}
  {}
)",
                     annotations, spec);
}

constexpr std::string_view kComplete =
    "Complete=True(CompletionsReached) SuccessCriteriaMet=True(CompletionsReached)";

TEST(Job, RunsUntilEnoughHaveSucceeded) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(Job("completions: 5\n  parallelism: 2"));
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "active=2 ready=2 terminating=0");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "active=2 ready=2 succeeded=2 terminating=0");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Running, 4 work-* Succeeded");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "ready=0 succeeded=5 terminating=0");
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), kComplete);
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"),
               "{'status':{'startTime':'2026-01-01T00:00:00Z',"
               "'completionTime':'2026-01-01T00:00:30Z'}}");
}

TEST(Job, PodsExitByThemselves) {
  TestCluster cluster({.job_run = Duration::Seconds(3)});
  cluster.AddNodes(1);
  cluster.Apply(Job("", ""));
  cluster.AdvanceSeconds(3);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), kComplete);
}

TEST(Job, EachIndexSucceedsOnce) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("completions: 4\n  parallelism: 3\n  completionMode: Indexed"));
  EXPECT_EQ(cluster.ShowPods(), "1 work-0-* Running, 1 work-1-* Running, 1 work-2-* Running");
  const Json pod = cluster.Get("pods", cluster.Names(Pods()).back());
  EXPECT_HOLDS(pod,
               "{'metadata':{'labels':{'batch.kubernetes.io/job-completion-index':'2'},"
               "'annotations':{'batch.kubernetes.io/job-completion-index':'2'}},"
               "'spec':{'hostname':'work-2','containers':[{"
               "'env':[{'name':'JOB_COMPLETION_INDEX','value':'2'}]}]}}");
  cluster.AdvanceSeconds(10);
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"), "{'status':{'completedIndexes':'0-2'}}");
  cluster.AdvanceSeconds(10);
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"), "{'status':{'completedIndexes':'0-3'}}");
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), kComplete);
}

TEST(Job, AnyDeadlineIsATime) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("activeDeadlineSeconds: 9223372036854775807", "berth.dev/run-seconds: '100'"));
  cluster.AdvanceSeconds(50);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "active=1 ready=1 terminating=0");
}

TEST(Job, FailsAtTheBackoffLimit) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("backoffLimit: 2", "berth.dev/run-seconds: '1', berth.dev/exit-code: '1'"));
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "failed=1 ready=0 terminating=0");
  // The backoff is ten seconds, then twenty.
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "active=1 failed=1 ready=1 terminating=0");
  cluster.AdvanceSeconds(22);
  EXPECT_EQ(cluster.ShowPods(), "3 work-* Failed");
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(BackoffLimitExceeded) FailureTarget=True(BackoffLimitExceeded)");
}

constexpr std::string_view kExits = "berth.dev/run-seconds: '1', berth.dev/exit-code: '1'";

TEST(Job, WaitsAlsoForPodsThatNeverStarted) {
  TestCluster cluster;
  cluster.AddNodes(1, "1");
  cluster.Apply(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: nginx, resources: {requests: {cpu: "2"}}}]
)");
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Failed");
  cluster.AdvanceSeconds(9);
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Failed");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "2 work-* Failed");
  cluster.AdvanceSeconds(19);
  EXPECT_EQ(cluster.ShowPods(), "2 work-* Failed");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "3 work-* Failed");
}

TEST(Job, RemembersTheFailuresOfPodsThatAreGone) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("", kExits));
  cluster.AdvanceSeconds(1);
  cluster.Delete("pods", cluster.Names(Pods()).front());
  cluster.AdvanceSeconds(9);
  EXPECT_EQ(cluster.ShowPods(), "");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Running");
}

TEST(Job, EachIndexWaitsForItself) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("completionMode: Indexed\n  completions: 2\n  parallelism: 2\n  "
          "backoffLimitPerIndex: 5",
          kExits));
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "1 work-0-* Failed, 1 work-1-* Failed");
  cluster.AdvanceSeconds(9);
  EXPECT_EQ(cluster.ShowPods(), "1 work-0-* Failed, 1 work-1-* Failed");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "active=2 failed=2 ready=2 terminating=0");
  int counted = 0;
  for (const std::string& name : cluster.Names(Pods())) {
    const Json pod = cluster.Get("pods", name);
    const JsonObject* annotations = ObjectAt(ObjectAt(AsObject(pod), "metadata"), "annotations");
    counted += StringAt(annotations, "batch.kubernetes.io/job-index-failure-count") == "1";
  }
  EXPECT_EQ(counted, 2);
}

TEST(JobBackoff, DoublesUpToTenMinutes) {
  JobBackoff backoff;
  EXPECT_EQ(backoff.due(), std::nullopt);
  const Instant start = Instant{} + Duration::Seconds(1'000);
  int64_t at = 0;
  for (const int64_t want : {10, 20, 40, 80, 160, 320, 600, 600, 600}) {
    at += 1'000;
    backoff.Failed(start + Duration::Seconds(at));
    EXPECT_EQ(backoff.due(), start + Duration::Seconds(at + want));
  }
}

TEST(JobBackoff, CountsFromTheLastSuccess) {
  JobBackoff backoff;
  const auto second = [](int64_t n) { return Instant{} + Duration::Seconds(n); };
  backoff.Failed(second(1));
  backoff.Failed(second(2));
  backoff.Failed(second(9));
  EXPECT_EQ(backoff.due(), second(49));
  backoff.Succeeded(second(2));
  EXPECT_EQ(backoff.due(), second(19));
  backoff.Succeeded(second(9));
  EXPECT_EQ(backoff.due(), std::nullopt);
  backoff.Succeeded(second(5));
  EXPECT_EQ(backoff.due(), std::nullopt);
}

TEST(Job, ASuspendedJobRunsNothing) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("parallelism: 2\n  completions: 2"));
  cluster.Merge("jobs.batch", "work", "{'spec':{'suspend':true}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), "Suspended=True(JobSuspended)");
  cluster.Merge("jobs.batch", "work", "{'spec':{'suspend':false}}");
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "ready=0 succeeded=2 terminating=0");
}

TEST(Job, FailsAtItsDeadline) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job("activeDeadlineSeconds: 5"));
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(DeadlineExceeded) FailureTarget=True(DeadlineExceeded)");
}

TEST(Job, IsDeletedWhenItsTtlExpires) {
  TestCluster cluster({.leases = false});
  cluster.AddNodes(1);
  cluster.Apply(Job("ttlSecondsAfterFinished: 100"));
  cluster.AdvanceSeconds(109);
  EXPECT_EQ(cluster.ShowPods(), "1 work-* Succeeded");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_THAT(cluster.Names(Jobs()), IsEmpty());
  cluster.Delete("nodes", "node-0");
  cluster.AdvanceSeconds(60);
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

TEST(Job, ReplacesADeletedPod) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(Job(""));
  cluster.Delete("pods", cluster.Names(Pods()).front());
  cluster.AdvanceSeconds(20);
  EXPECT_EQ(cluster.Counts("jobs.batch", "work"), "failed=1 ready=0 succeeded=1 terminating=0");
}

// Exit codes of containers come from an annotation; the conditions of a pod from its eviction.
constexpr std::string_view kFails = "berth.dev/run-seconds: '10', berth.dev/exit-code: '42'";

TEST(JobPolicy, AnExitCodeFailsTheJob) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, "
          "values: [7, 42]}}]}",
          kFails));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(PodFailurePolicy) FailureTarget=True(PodFailurePolicy)");
  const Json job = cluster.Get("jobs.batch", "work");
  const JsonObject* failed = ConditionOf(ObjectAt(AsObject(job), "status"), "Failed");
  EXPECT_EQ(StringAt(failed, "message"),
            fmt::format("Container c for pod default/{} failed with exit code 42 matching FailJob "
                        "rule at index 0",
                        cluster.Names(Pods()).front()));
}

TEST(JobPolicy, OtherExitCodesCount) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("backoffLimit: 0\n  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: "
          "{operator: NotIn, values: [42]}}, {action: Ignore, onExitCodes: "
          "{containerName: other, operator: In, values: [42]}}]}",
          kFails));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(BackoffLimitExceeded) FailureTarget=True(BackoffLimitExceeded)");
}

TEST(JobPolicy, EvictedPodsAreIgnored) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("backoffLimit: 0\n  podFailurePolicy: {rules: [{action: Ignore, "
          "onPodConditions: [{type: DisruptionTarget}]}]}"));
  const std::string evicted = cluster.Names(Pods()).front();
  ASSERT_TRUE(cluster.api.Evict({"default", evicted}, {}));
  cluster.AdvanceSeconds(60);
  ASSERT_EQ(cluster.Names(Pods()).size(), 1u);
  EXPECT_NE(cluster.Names(Pods()).front(), evicted);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), kComplete);
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"), "{'status':{'failed':null,'succeeded':1}}");
}

TEST(JobPolicy, EachIndexHasItsOwnLimit) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("completionMode: Indexed\n  completions: 2\n  parallelism: 2\n  "
          "backoffLimitPerIndex: 1",
          kFails));
  cluster.AdvanceSeconds(600);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(FailedIndexes) FailureTarget=True(FailedIndexes)");
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"),
               "{'status':{'failed':4,'failedIndexes':'0,1','completedIndexes':null}}");
}

TEST(JobPolicy, TooManyFailedIndexesEndTheJob) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("completionMode: Indexed\n  completions: 4\n  parallelism: 1\n  "
          "backoffLimitPerIndex: 0\n  maxFailedIndexes: 1\n  podFailurePolicy: {rules: "
          "[{action: FailIndex, onExitCodes: {operator: In, values: [42]}}]}",
          kFails));
  cluster.AdvanceSeconds(600);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Failed=True(MaxFailedIndexesExceeded) FailureTarget=True(MaxFailedIndexesExceeded)");
  EXPECT_HOLDS(cluster.Get("jobs.batch", "work"), "{'status':{'failedIndexes':'0,1'}}");
}

TEST(JobPolicy, SomeIndexesAreEnough) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(
      Job("completionMode: Indexed\n  completions: 5\n  parallelism: 2\n  "
          "successPolicy: {rules: [{succeededIndexes: '4'}, {succeededIndexes: '1-3', "
          "succeededCount: 2}]}"));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"), "");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.Conditions("jobs.batch", "work"),
            "Complete=True(SuccessPolicy) SuccessCriteriaMet=True(SuccessPolicy)");
  const Json job = cluster.Get("jobs.batch", "work");
  const JsonObject* done = ConditionOf(ObjectAt(AsObject(job), "status"), "Complete");
  EXPECT_EQ(StringAt(done, "message"), "Matched rules at index 1");
  EXPECT_HOLDS(job, "{'status':{'completedIndexes':'0-3','active':null}}");
}

TEST(JobPods, FormatsAndParsesIndexes) {
  EXPECT_EQ(FormatIndexes({}), "");
  EXPECT_EQ(FormatIndexes({0}), "0");
  EXPECT_EQ(FormatIndexes({0, 1}), "0,1");
  EXPECT_EQ(FormatIndexes({0, 1, 2, 5, 7, 8, 9}), "0-2,5,7-9");
  EXPECT_EQ(ParseIndexes("0-2,5,7-9"), (std::set<int64_t>{0, 1, 2, 5, 7, 8, 9}));
  EXPECT_EQ(ParseIndexes("x,3-"), std::set<int64_t>());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
