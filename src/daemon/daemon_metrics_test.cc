#include "daemon/daemon_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

TEST(DaemonMetrics, CountsAuthenticationByResultAndUser) {
  DaemonMetrics metrics{MetricsFlags(), features::FeatureGates()};
  AccessObserver& access = metrics.access();
  access.Authenticated("error", Duration::Millis(1));
  for (const char* user : {"kubelet", "joe", "ann", "joe@example.com"}) {
    access.Authenticated("success", Duration::Millis(1));
    access.AuthenticatedAs(user);
  }
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("\nauthentication_attempts{result=\"error\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nauthentication_attempts{result=\"success\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("\nauthenticated_user_requests{username=\"email_id\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nauthenticated_user_requests{username=\"kubelet\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nauthenticated_user_requests{username=\"other\"} 2\n"));
}

TEST(DaemonMetrics, ElectionsHaveTheNameThatKubeSchedulerGivesThem) {
  DaemonMetrics metrics{MetricsFlags(), features::FeatureGates()};
  metrics.SetLeader(true);
  metrics.NoteSlowElection();
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("\nleader_election_master_status{name=\"kube-scheduler\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nleader_election_slowpath_total{name=\"kube-scheduler\"} 1\n"));
}

TEST(DaemonMetrics, CountsJudgementsOfShadowMode) {
  DaemonMetrics metrics{MetricsFlags(), features::FeatureGates()};
  runtime::Judgement judgement;
  judgement.tried = 3;
  for (const auto result :
       {runtime::Judgement::Result::kAgrees, runtime::Judgement::Result::kSameScore,
        runtime::Judgement::Result::kAgreesInFlight, runtime::Judgement::Result::kSampled,
        runtime::Judgement::Result::kDiffers, runtime::Judgement::Result::kNotJudged}) {
    judgement.result = result;
    metrics.Note(judgement);
  }
  const std::string text = metrics.Text();
  for (const char* result :
       {"agrees", "same_score", "agrees_in_flight", "sampled", "differs", "not_judged"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\nberth_shadow_decisions_total{decision=\"placed\",") +
                                "result=\"" + result + "\"} 1\n"));
  }
  EXPECT_THAT(text, HasSubstr("\nberth_shadow_states_total 18\n"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
