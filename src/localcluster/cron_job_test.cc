#include "localcluster/cron_job.h"

#include "api/timestamp.h"
#include "localcluster/local_cluster_testing.h"
#include "testing/require.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string CronJob(std::string_view spec, std::string_view schedule = "*/5 * * * *") {
  return fmt::format(R"(
apiVersion: batch/v1
kind: CronJob
metadata: {{name: report}}
spec:
  schedule: "{}"
  {}
  jobTemplate:
    metadata: {{labels: {{team: a}}}}
    spec:
      template:
        metadata: {{annotations: {{berth.dev/run-seconds: '30'}}}}
        spec: {{restartPolicy: Never, containers: [{{name: c, image: nginx}}]}}
)",
                     schedule, spec);
}

// The clock starts at 2026-01-01T00:00:00Z, minute 29453760.
struct CronCluster : TestCluster {
  explicit CronCluster(LocalClusterOptions options = {}) : TestCluster(std::move(options)) {
    AddNodes(1);
  }
  std::vector<std::string> JobNames() const { return Names(Jobs()); }
};

TEST(CronJob, StartsJobsBySchedule) {
  CronCluster cluster;
  cluster.Apply(CronJob(""));
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
  cluster.AdvanceSeconds(299);
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
  cluster.AdvanceSeconds(1);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453765"));
  EXPECT_HOLDS(cluster.Get("jobs.batch", "report-29453765"),
               "{'metadata':{'labels':{'team':'a'},'annotations':{"
               "'batch.kubernetes.io/cronjob-scheduled-timestamp':'2026-01-01T00:05:00Z'},"
               "'ownerReferences':[{'kind':'CronJob','name':'report','controller':true}]}}");
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"),
               "{'status':{'lastScheduleTime':'2026-01-01T00:05:00Z',"
               "'active':[{'name':'report-29453765','kind':'Job'}]}}");
  cluster.AdvanceSeconds(30);
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"),
               "{'status':{'active':null,'lastSuccessfulTime':'2026-01-01T00:05:30Z'}}");
  EXPECT_THAT(cluster.EventsOf("report"),
              ElementsAre("Normal SuccessfulCreate Created job report-29453765",
                          "Normal SawCompletedJob Saw completed job: report-29453765, condition: "
                          "Complete"));
}

TEST(CronJob, KeepsALimitedHistory) {
  CronCluster cluster;
  cluster.Apply(CronJob("successfulJobsHistoryLimit: 2"));
  cluster.AdvanceSeconds(25 * 60 + 60);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453780", "report-29453785"));
}

TEST(CronJob, KeepsALimitedHistoryOfFailures) {
  CronCluster cluster;
  std::string manifest = CronJob("failedJobsHistoryLimit: 1");
  manifest.replace(manifest.find("'30'"), 4, "'30', berth.dev/exit-code: '1'");
  constexpr std::string_view kTemplate = "      template:";
  manifest.insert(manifest.find(kTemplate), "      backoffLimit: 0\n");
  cluster.Apply(manifest);
  cluster.AdvanceSeconds(25 * 60 + 60);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453785"));
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"),
               "{'status':{'active':null,'lastSuccessfulTime':null}}");
}

TEST(CronJob, ADeletedJobIsNoLongerActive) {
  CronCluster cluster;
  cluster.Apply(CronJob(""));
  cluster.AdvanceSeconds(310);
  cluster.Delete("jobs.batch", "report-29453765", {.propagation_policy = "Background"});
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"), "{'status':{'active':null}}");
  EXPECT_THAT(cluster.EventsOf("report"),
              testing::Contains("Normal MissingJob Active job went missing: report-29453765"));
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
}

TEST(CronJob, ManyMissedStartsAreReported) {
  CronCluster cluster;
  cluster.Apply(CronJob("suspend: true", "* * * * *"));
  cluster.AdvanceSeconds(200 * 60);
  cluster.Merge("cronjobs.batch", "report", "{'spec':{'suspend':false}}");
  cluster.Run();
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453960"));
  EXPECT_THAT(cluster.EventsOf("report"),
              testing::Contains("Warning TooManyMissedTimes too many missed start times. Set or "
                                "decrease .spec.startingDeadlineSeconds or check clock skew"));
}

// As after a crash between the creation of the Job and the status.
TEST(CronJob, RecordsAJobThatItFinds) {
  CronCluster cluster;
  cluster.Apply(CronJob(""));
  cluster.AdvanceSeconds(310);
  cluster.Merge("cronjobs.batch", "report", "{'status':{'active':null,'lastScheduleTime':null}}",
                "status");
  cluster.Run();
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453765"));
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"),
               "{'status':{'lastScheduleTime':'2026-01-01T00:05:00Z',"
               "'active':[{'name':'report-29453765'}]}}");
}

TEST(CronJob, ForbidDoesNotStartAnother) {
  CronCluster cluster({.job_run = Duration::Seconds(1000)});
  std::string manifest = CronJob("concurrencyPolicy: Forbid", "* * * * *");
  manifest.replace(manifest.find("'30'"), 4, "'150'");
  cluster.Apply(manifest);
  cluster.AdvanceSeconds(200);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453761"));
  cluster.AdvanceSeconds(60);
  // When the first one ends, the last start that it prevented is made up for.
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453761", "report-29453763"));
}

TEST(CronJob, ReplaceDeletesTheRunningJob) {
  CronCluster cluster;
  std::string manifest = CronJob("concurrencyPolicy: Replace", "* * * * *");
  manifest.replace(manifest.find("'30'"), 4, "'150'");
  cluster.Apply(manifest);
  cluster.AdvanceSeconds(130);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453762"));
  EXPECT_HOLDS(cluster.Get("cronjobs.batch", "report"),
               "{'status':{'active':[{'name':'report-29453762'}]}}");
}

TEST(CronJob, SuspendedOneStartsNothing) {
  CronCluster cluster;
  cluster.Apply(CronJob("suspend: true"));
  cluster.AdvanceSeconds(3600);
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
  // Of all the starts that it missed, only the last one is made up for.
  cluster.Merge("cronjobs.batch", "report", "{'spec':{'suspend':false}}");
  cluster.Run();
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453820"));
}

TEST(CronJob, DeadlineSkipsLateStarts) {
  CronCluster cluster;
  cluster.Apply(CronJob("suspend: true\n  startingDeadlineSeconds: 10"));
  cluster.AdvanceSeconds(330);
  cluster.Merge("cronjobs.batch", "report", "{'spec':{'suspend':false}}");
  cluster.Run();
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
  // Starts before the deadline are not even missed.
  EXPECT_THAT(cluster.EventsOf("report"), IsEmpty());
  cluster.AdvanceSeconds(270);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453770"));
}

TEST(CronJob, ScheduleThatNeverFiresIsReported) {
  CronCluster cluster;
  cluster.Apply(CronJob("", "0 0 31 2 *"));
  cluster.AdvanceSeconds(3600);
  EXPECT_THAT(cluster.EventsOf("report"),
              ElementsAre("Warning InvalidSchedule invalid schedule: 0 0 31 2 * : time difference "
                          "between two schedules is less than 1 second"));
  EXPECT_FALSE(cluster.local_cluster.NextDue() > Instant::FromUnixSeconds(1767225600 + 7200));
}

TEST(CronJob, TimeZoneMovesTheSchedule) {
  const std::string header = std::string("TZif2") + std::string(15, '\0') + std::string(16, '\0') +
                             std::string("\0\0\0\1\0\0\0\1", 8);
  const std::string part = header + std::string(7, '\0');
  CronCluster cluster({.read_time_zone = [&](std::string_view name) -> std::optional<std::string> {
    if (name != "Europe/Berlin") return std::nullopt;
    return part + part + "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  }});
  cluster.Apply(CronJob("timeZone: Europe/Berlin", "0 2 * * *"));
  cluster.AdvanceSeconds(3600);
  EXPECT_THAT(cluster.JobNames(), ElementsAre("report-29453820"));
  EXPECT_HOLDS(cluster.Get("jobs.batch", "report-29453820"),
               "{'metadata':{'annotations':{'batch.kubernetes.io/cronjob-scheduled-timestamp':"
               "'2026-01-01T02:00:00+01:00'}}}");
  cluster.Merge("cronjobs.batch", "report", "{'spec':{'timeZone':'Moon/Base'}}");
  cluster.Run();
  EXPECT_THAT(cluster.EventsOf("report"),
              testing::Contains(
                  "Warning UnknownTimeZone invalid timeZone: \"Moon/Base\": unknown time zone "
                  "Moon/Base"));
}

TEST(CronJob, CountsMissedStarts) {
  const auto schedule = Require(api::CronSchedule::Parse("* * * * *"));
  const Instant start = Instant::FromUnixSeconds(1767225600);
  const auto missed = [&](int64_t minutes) {
    return FindMissedStarts(schedule, {}, start, start + Duration::Seconds(60 * minutes));
  };
  EXPECT_FALSE(missed(0).latest);
  EXPECT_EQ(missed(1).latest, start + Duration::Seconds(60));
  EXPECT_FALSE(missed(1).any);
  EXPECT_TRUE(missed(2).any);
  EXPECT_FALSE(missed(100).many);
  EXPECT_TRUE(missed(101).many);
  EXPECT_EQ(missed(5'000'000).latest, start + Duration::Seconds(int64_t{60} * 5'000'000));
}

TEST(CronJob, LeavesNothingBehind) {
  CronCluster cluster;
  cluster.Apply(CronJob(""));
  cluster.AdvanceSeconds(310);
  cluster.Delete("cronjobs.batch", "report", {.propagation_policy = "Foreground"});
  cluster.Delete("nodes", "node-0");
  cluster.AdvanceSeconds(600);
  EXPECT_THAT(cluster.JobNames(), IsEmpty());
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
