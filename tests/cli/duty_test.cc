// What berth-scheduler does when a part of it hangs, throws or crashes: a plugin, in these tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/handler.h"
#include "apiserver/server.h"
#include "berth_process_testing.h"
#include "net/http_server.h"
#include "testing/api_client.h"
#include "testing/await.h"
#include "testing/http_handlers.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kConfiguration = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Trouble}]}}
)";
constexpr const char* kLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";

class DutyTest : public testing::Test {
 protected:
  DutyTest() {
    Post("/api/v1/nodes",
         R"({"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"64","memory":"64Gi",)"
         R"("pods":"100"}}})");
  }

  // Starts a scheduler that makes trouble, and waits until it holds the lease.
  void StartLeader(std::vector<std::string> more_flags = {}) {
    more_flags.push_back("--config=" + files_.Write("config.yaml", kConfiguration));
    leader_ = Start(BERTH_TROUBLED_SCHEDULER, more_flags);
    ASSERT_TRUE(Await([&] { return !Holder().empty(); })) << leader_->err();
  }
  std::unique_ptr<RunningProcess> Start(const char* program,
                                        const std::vector<std::string>& more_flags = {}) {
    std::vector<std::string> command{program,
                                     "--master",
                                     fmt::format("http://127.0.0.1:{}", http_->port()),
                                     "--secure-port=0",
                                     "--leader-elect-lease-duration=4s",
                                     "--leader-elect-renew-deadline=3s",
                                     "--leader-elect-retry-period=1s"};
    command.insert(command.end(), more_flags.begin(), more_flags.end());
    return std::make_unique<RunningProcess>(std::move(command));
  }

  void Post(std::string_view path, const std::string& body) {
    const auto posted = ApiClient(http_->port()).Ask("POST", path, body);
    ASSERT_EQ(posted.status, 201) << posted.body;
  }
  // `trouble` is what the plugin does for the pod; empty: nothing.
  void PostPod(const std::string& name, const std::string& trouble) {
    Post("/api/v1/namespaces/default/pods",
         fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"trouble":"{}"}}}},"spec":)"
                     R"({{"containers":[{{"name":"c","image":"i"}}],)"
                     R"("tolerations":[{{"operator":"Exists"}}]}}}})",
                     name, trouble));
  }
  std::string Get(std::string_view path) {
    const auto got = ApiClient(http_->port()).Ask("GET", path, "");
    return got.status == 200 ? got.body : "";
  }
  // The holder of the lease; empty if nobody holds it.
  std::string Holder() {
    const std::string lease = Get(kLease);
    const std::string_view key = R"("holderIdentity":")";
    const size_t at = lease.find(key);
    if (at == lease.npos) return "";
    const size_t start = at + key.size();
    return lease.substr(start, lease.find('"', start) - start);
  }
  bool IsBound(const std::string& pod) {
    return Get("/api/v1/namespaces/default/pods/" + pod).contains(R"("nodeName":"n1")");
  }

  const TemporaryDirectory files_;
  const std::unique_ptr<apiserver::ApiServer> server_ = Require(apiserver::ApiServer::Start({}));
  const SystemClock clock_;
  apiserver::Handler handler_{server_->api(), apiserver::registry::Access({}), clock_, clock_};
  const std::unique_ptr<net::HttpServer> http_ =
      Serve([this](const std::shared_ptr<net::Exchange>& exchange) { handler_.Handle(exchange); });
  std::unique_ptr<RunningProcess> leader_;
};

TEST_F(DutyTest, AStandbyLeadsWhenAPluginNeverReturns) {
  StartLeader({"--stuck-after=1s"});
  const auto standby = Start(BERTH_SCHEDULER_BINARY);
  PostPod("poison", "hang");
  EXPECT_EQ(leader_->Wait(), 3);
  EXPECT_THAT(leader_->err(),
              AllOf(HasSubstr("A thread is stuck; giving up the lease and exiting"),
                    HasSubstr(R"(thread="driver")"), ContainsRegex("thread [0-9]+ \"driver\":"),
                    HasSubstr("berth::duty::HangForEver()"), HasSubstr(R"("write-loop")")));
  EXPECT_TRUE(Await([&] { return IsBound("poison"); })) << standby->err();
}

TEST_F(DutyTest, LongWorkOfAnIdleLeaderIsNone) {
  StartLeader({"--stuck-after=1s"});
  // It idles for longer than that, between two renewals of the lease.
  const std::string before = Get(kLease);
  int renewals = 0;
  std::string last = before;
  EXPECT_TRUE(Await([&] {
    const std::string now = Get(kLease);
    renewals += now != last;
    last = now;
    return renewals >= 3;
  }));
  PostPod("late", "");
  EXPECT_TRUE(Await([&] { return IsBound("late"); })) << leader_->err();
  EXPECT_EQ(leader_->End(SIGTERM), 0) << leader_->err();
}

TEST_F(DutyTest, AStuckLeaderEndsUponSigterm) {
  StartLeader({"--stuck-after=2s"});
  PostPod("poison", "hang");
  EXPECT_EQ(leader_->End(SIGTERM), 3) << leader_->err();
}

TEST_F(DutyTest, AnExceptionOfAPluginEndsTheSchedulerInOrder) {
  const std::string recording = files_.path("run.berth");
  StartLeader({"--record=" + recording});
  PostPod("poison", "throw");
  EXPECT_EQ(leader_->Wait(), 4);
  EXPECT_THAT(leader_->err(),
              AllOf(HasSubstr("The engine has thrown an exception"),
                    HasSubstr("the plugin has no answer"), Not(HasSubstr("has crashed"))));
  EXPECT_EQ(Holder(), "") << "the lease is released";
  const ProcessResult printed = RunBerth({"replay", "--print", recording});
  EXPECT_THAT(printed.out,
              AllOf(HasSubstr(" put Pod \"default/poison\""), HasSubstr("\ncomplete, ")));
}

TEST_F(DutyTest, ACrashIsReportedAndRecorded) {
  const std::string recording = files_.path("run.berth");
  StartLeader({"--record=" + recording});
  PostPod("poison", "crash");
  EXPECT_EQ(leader_->Wait(), -1) << "a signal ended it";
  EXPECT_THAT(
      leader_->err(),
      AllOf(ContainsRegex("berth-scheduler [0-9.]+, commit .* has crashed: SIGSEGV at address 0x0, "
                          "thread [0-9]+ \"driver\":\n"),
            ContainsRegex(" berth::duty::CrashNow\\(int volatile\\*\\)\\+0x"),
            HasSubstr("berth::runtime::EngineDriver::")));
  // The last record is the call that crashed.
  const ProcessResult printed = RunBerth({"replay", "--print", recording});
  EXPECT_THAT(printed.out, AllOf(HasSubstr(" put Pod \"default/poison\""),
                                 ContainsRegex(" schedule\nnot closed: it ends after record ")));
}

TEST_F(DutyTest, LogsStacksOnRequest) {
  StartLeader({"--stuck-after=0"});
  PostPod("poison", "hang");
  leader_->Send(SIGUSR2);
  EXPECT_TRUE(Await([&] { return leader_->err().contains("Stacks of all threads"); }));
  EXPECT_TRUE(Await([&] {
    leader_->Send(SIGUSR2);
    return leader_->err().contains("berth::duty::HangForEver()");
  }));
  leader_->Send(SIGTERM);
  EXPECT_EQ(leader_->End(SIGINT), 1) << "without a watchdog, a second signal ends it";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
