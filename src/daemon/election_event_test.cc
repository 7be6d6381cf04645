#include <gtest/gtest.h>

#include "daemon/daemon.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

TEST(ElectionEvent, IsWhatElectionsWrite) {
  scheduler::config::Configuration configuration = scheduler::config::Default();
  configuration.leader_election.resource_namespace = "kube-system";
  configuration.leader_election.resource_name = "lock";
  const auto request =
      ElectionEvent("me became leader", configuration, Instant::FromUnixSeconds(1767225600));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/namespaces/kube-system/events");
  EXPECT_EQ(request.body,
            R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"lock.18867251edfa0000",)"
            R"("namespace":"kube-system"},"involvedObject":{"kind":"Lease","apiVersion":)"
            R"("coordination.k8s.io/v1","namespace":"kube-system","name":"lock"},"reason":)"
            R"("LeaderElection","message":"me became leader","source":{"component":)"
            R"("default-scheduler"},"reportingComponent":"default-scheduler","firstTimestamp":)"
            R"("2026-01-01T00:00:00Z","lastTimestamp":"2026-01-01T00:00:00Z","count":1,)"
            R"("type":"Normal"})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
