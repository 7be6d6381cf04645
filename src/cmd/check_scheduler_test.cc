#include "cmd/check_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Judged(const std::string& metrics) {
  CheckReport report(false);
  testing::internal::CaptureStdout();
  JudgeMetrics(MetricSamples::Parse(metrics), report);
  return testing::internal::GetCapturedStdout();
}

TEST(CheckScheduler, ParsesMetrics) {
  const MetricSamples samples = MetricSamples::Parse(
      "# HELP a Help.\n# TYPE a counter\na 3\nb{x=\"1\",y=\"{2} 3\"} 4.5\nb{x=\"2\"} 1e+06\n"
      "nonsense\nc{ 7\n");
  EXPECT_EQ(samples.Sum("a"), 3);
  EXPECT_EQ(samples.Sum("b"), 1'000'004.5);
  EXPECT_EQ(samples.Sum("b", "x=\"1\""), 4.5);
  EXPECT_EQ(samples.Sum("missing"), 0);
}

TEST(CheckScheduler, NamesTheChecksThatFail) {
  EXPECT_THAT(FailedChecks("[+]ping ok\n[-]driver failed: reason withheld\n[-]https failed\n"
                           "livez check failed\n"),
              ElementsAre("driver", "https"));
}

TEST(CheckScheduler, SaysNothingIsWrongWithAHealthyLeader) {
  const std::string text = Judged(
      "leader_election_master_status{name=\"kube-scheduler\"} 1\n"
      "scheduler_pending_pods{queue=\"active\"} 2\nscheduler_pending_pods{queue=\"gated\"} 1\n"
      "scheduler_schedule_attempts_total{profile=\"p\",result=\"error\"} 1\n"
      "scheduler_schedule_attempts_total{profile=\"p\",result=\"scheduled\"} 99\n"
      "rest_client_requests_total{code=\"200\"} 100\nberth_oldest_unread_change_seconds 0.01\n"
      "berth_events_total{result=\"refused\"} 0\nberth_recording_failed 0\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("it holds the lease and schedules"),
                    HasSubstr("2 pods wait to be tried, 0 for their backoff, 0 are unschedulable, "
                              "1 have scheduling gates"),
                    Not(HasSubstr("runbook"))));
}

TEST(CheckScheduler, SaysWhatIsWrongAndWhereToRead) {
  struct Case {
    const char* name;
    const char* metrics;
    const char* want;
    const char* section;
  };
  const Case cases[] = {
      {"Behind", "berth_oldest_unread_change_seconds 42\nberth_unread_changes 7000\n",
       "it is 42 seconds behind the cluster: 7000 changes are not read", "#schedulerfallsbehind"},
      {"Errors",
       "scheduler_schedule_attempts_total{result=\"error\"} 10\n"
       "scheduler_schedule_attempts_total{result=\"scheduled\"} 90\n",
       "10 of 100 attempts since the start ended with an error", "#schedulererrors"},
      {"Requests",
       "rest_client_requests_total{code=\"503\"} 10\nrest_client_requests_total{code=\"<error>\"} "
       "10\nrest_client_requests_total{code=\"200\"} 80\n",
       "20 of 100 API requests since the start failed", "#schedulerapirequestsfail"},
      {"Refused", "berth_events_total{result=\"refused\"} 5\n", "the API server refused 5 events",
       "#schedulereventslost"},
      {"Dropped", "berth_events_total{result=\"dropped\"} 5\n", "5 events were dropped",
       "#schedulereventslost"},
      {"Recording", "berth_recording_failed 1\nberth_recording_lost_records_total 8\n",
       "its recording has ended with an error; 8 records are lost", "#schedulerrecordingfailed"},
      {"Silent", "berth_silent_watches_total{resource=\"pods\"} 3\n",
       "a watch (resource=\"pods\") fell silent 3 times", "#schedulerwatchsilent"},
      {"Standby", "leader_election_master_status{name=\"kube-scheduler\"} 0\n", "it is a standby",
       "kubectl -n kube-system get lease"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(Judged(c.metrics), AllOf(HasSubstr(c.want), HasSubstr(c.section)));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
