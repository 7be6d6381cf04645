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
