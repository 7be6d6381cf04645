// Runs berth-scheduler against an API server that records every write: what it sends when its
// leadership ends, and how it reacts to signals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/handler.h"
#include "apiserver/server.h"
#include "berth_process_testing.h"
#include "localcluster/local_cluster.h"
#include "net/http_server.h"
#include "testing/api_client.h"
#include "testing/await.h"
#include "testing/http_handlers.h"
#include "testing/test_certificates.h"
#include "testing/tls_client.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kLeaseDuration(6);

// An API server with a record of its writes.
class RecordingApi {
 public:
  struct Write {
    std::string line;  // "POST /api/v1/namespaces/default/pods/p1/binding"
    SteadyTime at;
    bool releases = false;  // It empties the lease.
  };

  RecordingApi() : server_(Require(apiserver::ApiServer::Start({}))) {
    http_ = Serve([this](std::shared_ptr<net::Exchange> exchange) { Handle(exchange); });
  }

  uint16_t port() const { return http_->port(); }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port()); }

  // From now on a controller elects the leader among the candidates.
  void ElectLeaders() {
    controllers_ = localcluster::LocalCluster::Start(server_->api(), clock_, {.kubelets = false});
  }
  // From now on leases cannot be read or written.
  void BreakLeases() {
    const std::lock_guard lock(mutex_);
    leases_broken_ = true;
  }
  // From now on binds get no response.
  void HoldBinds() {
    const std::lock_guard lock(mutex_);
    holds_binds_ = true;
  }
  std::vector<Write> writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  // Reports whether a client has listed by a watch.
  bool has_listed_by_watch() const {
    const std::lock_guard lock(mutex_);
    return has_listed_by_watch_;
  }
  [[nodiscard]] bool WaitForBinds(long count) {
    std::unique_lock lock(mutex_);
    return Await(changed_, lock, [&] { return std::ranges::count_if(writes_, IsBind) >= count; });
  }

  static bool IsBind(const Write& write) { return write.line.ends_with("/binding"); }
  // Leases and their candidates.
  static bool IsLease(const Write& write) { return write.line.contains("/lease"); }

 private:
  void Handle(const std::shared_ptr<net::Exchange>& exchange) {
    const net::ServerRequest& request = exchange->request();
    const bool lease = request.target.contains("/leases");
    {
      const std::lock_guard lock(mutex_);
      has_listed_by_watch_ |= request.target.contains("sendInitialEvents");
      if (request.method != "GET") {
        writes_.push_back({request.method + " " + request.target, std::chrono::steady_clock::now(),
                           lease && request.body.contains(R"("holderIdentity":"")")});
        changed_.notify_all();
      }
      if (lease && leases_broken_) {
        return exchange->Respond(net::ServerResponse::Text(500, "text/plain", "broken"));
      }
      if (holds_binds_ && request.target.ends_with("/binding")) {
        held_.push_back(exchange);
        return;
      }
    }
    handler_.Handle(exchange);
  }

  const std::unique_ptr<apiserver::ApiServer> server_;
  const SystemClock clock_;
  std::unique_ptr<localcluster::LocalCluster> controllers_;
  apiserver::Handler handler_{server_->api(), apiserver::registry::Access({}), clock_, clock_};
  mutable std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::vector<Write> writes_;
  std::vector<std::shared_ptr<net::Exchange>> held_;
  bool has_listed_by_watch_ = false;
  bool leases_broken_ = false;
  bool holds_binds_ = false;
  std::unique_ptr<net::HttpServer> http_;
};

uint16_t FreePort() {
  return Serve([](const std::shared_ptr<net::Exchange>&) {})->port();
}

class SchedulerProcess : public testing::Test {
 protected:
  // Starts a scheduler that sends ten writes a second, and pods for fifteen.
  void Start(const std::vector<std::string>& more_flags = {}) {
    ApiClient client(api_.port());
    const auto post = [&](std::string_view path, const std::string& body) {
      ASSERT_EQ(client.Ask("POST", path, body).status, 201) << body;
    };
    post("/api/v1/nodes", R"({"metadata":{"name":"n1"},"status":{"allocatable":)"
                          R"({"cpu":"640","memory":"640Gi","pods":"1000"}}})");
    for (int i = 0; i < 150; ++i) {
      post(
          "/api/v1/namespaces/default/pods",
          fmt::format(R"({{"metadata":{{"name":"p{}"}},"spec":{{"containers":)"
                      R"([{{"name":"c","image":"i"}}],"tolerations":[{{"operator":"Exists"}}]}}}})",
                      i));
    }
    const auto authority = MakeAuthority("test");
    const auto own = MakeCertificate(authority, "localhost", "DNS:localhost,IP:127.0.0.1");
    authority_ = authority.certificate;
    port_ = FreePort();
    std::vector<std::string> command{BERTH_SCHEDULER_BINARY,
                                     "--master",
                                     api_.url(),
                                     "--kube-api-qps=10",
                                     "--kube-api-burst=1",
                                     "--leader-elect-lease-duration=6s",
                                     "--leader-elect-renew-deadline=3s",
                                     "--leader-elect-retry-period=1s",
                                     "--bind-address=127.0.0.1",
                                     fmt::format("--secure-port={}", port_),
                                     "--tls-cert-file=" + folder_.Write("own.crt", own.certificate),
                                     "--tls-private-key-file=" + folder_.Write("own.key", own.key)};
    command.insert(command.end(), more_flags.begin(), more_flags.end());
    scheduler_ = std::make_unique<RunningProcess>(std::move(command));
    ASSERT_TRUE(api_.WaitForBinds(2)) << scheduler_->err();
  }
  // Opens connections to the HTTPS port and leaves requests unfinished.
  void HoldConnections() {
    for (int i = 0; i < 2; ++i) {
      held_.push_back(std::make_unique<TlsClient>(
          port_, TlsClientOptions{.authority = authority_, .own = {}, .protocols = ""}));
      ASSERT_EQ(held_.back()->problem(), "");
      held_.back()->Send(i == 0 ? "GET /healthz HTTP/1.1\r\n" : "");
    }
  }
  // Returns the writes after `time` that only the leader may send.
  std::vector<std::string> WritesAfter(SteadyTime time) const {
    std::vector<std::string> lines;
    for (const RecordingApi::Write& write : api_.writes()) {
      if (write.at > time && !RecordingApi::IsLease(write)) lines.push_back(write.line);
    }
    return lines;
  }

  const TemporaryDirectory folder_;
  RecordingApi api_;
  std::string authority_;
  uint16_t port_ = 0;
  std::unique_ptr<RunningProcess> scheduler_;
  std::vector<std::unique_ptr<TlsClient>> held_;
};

TEST_F(SchedulerProcess, WritesNothingAfterItHasReleasedTheLease) {
  Start();
  HoldConnections();
  EXPECT_EQ(scheduler_->End(SIGTERM), 0) << scheduler_->err();
  const std::vector<RecordingApi::Write> writes = api_.writes();
  const auto release = std::ranges::find_if(writes, &RecordingApi::Write::releases);
  ASSERT_NE(release, writes.end()) << "the lease was not released";
  EXPECT_THAT(WritesAfter(release->at), testing::IsEmpty());
}

TEST_F(SchedulerProcess, EndsAndWritesNothingAfterItHasLostTheLease) {
  Start();
  HoldConnections();
  api_.BreakLeases();
  const SteadyTime last_renewal = std::chrono::steady_clock::now();
  EXPECT_EQ(scheduler_->Wait(), 1);
  EXPECT_THAT(scheduler_->err(), HasSubstr("Leaderelection lost"));
  EXPECT_THAT(WritesAfter(last_renewal + kLeaseDuration), testing::IsEmpty());
}

TEST_F(SchedulerProcess, ListsByWatchesUnlessToldOtherwise) {
  Start();
  EXPECT_TRUE(api_.has_listed_by_watch());
}

TEST_F(SchedulerProcess, ListsAndWatchesIfWatchListClientIsOff) {
  Start({"--feature-gates=WatchListClient=false"});
  EXPECT_FALSE(api_.has_listed_by_watch());
}

// Its candidate is elected, until there is one that emulates an older version.
TEST_F(SchedulerProcess, GivesUpTheLeaseToThePreferredHolder) {
  api_.ElectLeaders();
  // The lease lasts, however slow the machine is.
  Start({"--feature-gates=CoordinatedLeaderElection=true", "--leader-elect-lease-duration=60s"});
  ApiClient client(api_.port());
  const auto posted = client.Ask(
      "POST", "/apis/coordination.k8s.io/v1beta1/namespaces/kube-system/leasecandidates",
      R"({"metadata":{"name":"older"},"spec":{"leaseName":"kube-scheduler",)"
      R"("binaryVersion":"1.35.0","emulationVersion":"1.35.0",)"
      R"("strategy":"OldestEmulationVersion","renewTime":"2200-01-01T00:00:00.000000Z"}})");
  EXPECT_EQ(posted.status, 201) << posted.body;
  EXPECT_EQ(scheduler_->Wait(), 1);
  EXPECT_THAT(scheduler_->err(), HasSubstr("Leaderelection lost"));
  const std::vector<RecordingApi::Write> writes = api_.writes();
  const auto release = std::ranges::find_if(writes, &RecordingApi::Write::releases);
  ASSERT_NE(release, writes.end()) << "the lease was not released";
  EXPECT_THAT(WritesAfter(release->at), testing::IsEmpty());
}

TEST_F(SchedulerProcess, ReleasesTheLeaseWhileABindHangs) {
  api_.HoldBinds();
  Start();
  EXPECT_EQ(scheduler_->End(SIGTERM), 0) << scheduler_->err();
  EXPECT_TRUE(std::ranges::any_of(api_.writes(), &RecordingApi::Write::releases));
}

TEST_F(SchedulerProcess, ReleasesTheLeaseWhenItsTerminalCloses) {
  Start();
  EXPECT_EQ(scheduler_->End(SIGHUP), 0) << scheduler_->err();
  EXPECT_TRUE(std::ranges::any_of(api_.writes(), &RecordingApi::Write::releases));
}

TEST_F(SchedulerProcess, ReleasesTheLeaseOnQuit) {
  Start();
  EXPECT_EQ(scheduler_->End(SIGQUIT), 0) << scheduler_->err();
  EXPECT_TRUE(std::ranges::any_of(api_.writes(), &RecordingApi::Write::releases));
}

TEST_F(SchedulerProcess, SignalsThatItDoesNotKnowChangeNothing) {
  Start();
  for (const int signal : {SIGUSR1, SIGPIPE, SIGALRM, SIGVTALRM, SIGIO, SIGWINCH, SIGCHLD, SIGCONT,
                           SIGRTMIN, SIGRTMAX, SIGUSR1}) {
    scheduler_->Send(signal);
  }
  scheduler_->Send(SIGUSR2);
  ASSERT_TRUE(api_.WaitForBinds(4));
  EXPECT_EQ(scheduler_->End(SIGTERM), 0) << scheduler_->err();
  EXPECT_THAT(scheduler_->err(), HasSubstr("Requested to terminate, exiting"));
}

TEST_F(SchedulerProcess, ASecondSignalEndsItAtOnce) {
  api_.HoldBinds();
  Start();
  scheduler_->Send(SIGTERM);
  // Binds hang, so it waits. Two signals of one kind would be one while they are pending.
  EXPECT_EQ(scheduler_->End(SIGINT), 1);
  EXPECT_FALSE(std::ranges::any_of(api_.writes(), &RecordingApi::Write::releases));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
