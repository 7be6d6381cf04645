// Runs `berth why` on a cluster that berth-scheduler schedules in a pod: it asks the scheduler by
// itself, through the API server.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/base64.h"
#include "berth_process_testing.h"
#include "testing/api_client.h"
#include "testing/await.h"
#include "testing/fake_port_forwarder.h"
#include "testing/http_handlers.h"
#include "testing/test_certificates.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kObjects =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: big}\n"
    "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 900}}}]}\n";

// "kube-scheduler-m1" in the namespace kube-system, on the host network of node m1.
std::string StaticPod(const std::string& node, const std::string& image) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\n"
      "metadata: {{name: kube-scheduler-{0}, namespace: kube-system, "
      "labels: {{component: kube-scheduler}}}}\n"
      "spec: {{nodeName: {0}, hostNetwork: true, containers: [{{name: c, image: '{1}'}}]}}\n",
      node, image);
}

std::string Lease(const std::string& holder) {
  return fmt::format(
      "apiVersion: coordination.k8s.io/v1\nkind: Lease\n"
      "metadata: {{name: kube-scheduler, namespace: kube-system}}\n"
      "spec: {{holderIdentity: {}}}\n",
      holder);
}

uint16_t PortIn(const std::string& url) {
  return static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

class WhyAttemptsTest : public testing::Test {
 protected:
  // Starts a cluster with `objects`, and an API server before it that forwards ports.
  void StartCluster(const std::string& objects) {
    up_ = std::make_unique<RunningProcess>(std::vector<std::string>{
        BERTH_BINARY, "up", "--port", "0", "--nodes", "3", "--scheduler", "none", "-f",
        files_.Write("objects.yaml", kObjects + std::string("---\n") + objects), "--kubeconfig",
        files_.path("plain")});
    const std::string url = up_->WaitForLine("listening on ");
    ASSERT_NE(url, "") << up_->err();
    upstream_ = PortIn(url);
    forwarder_ = std::make_unique<FakePortForwarder>(
        ForwarderOptions{.port_for = [this](const std::string& target) -> std::optional<uint16_t> {
                           if (target.contains("/kube-scheduler-m2/")) return port_;
                           return std::nullopt;
                         },
                         .upstream = upstream_,
                         .own = own_});
  }

  void StartScheduler() {
    port_ = Serve([](const std::shared_ptr<net::Exchange>&) {})->port();
    scheduler_ = std::make_unique<RunningProcess>(std::vector<std::string>{
        BERTH_SCHEDULER_BINARY, "--kubeconfig", files_.path("plain"), "--leader-elect=false",
        "--authentication-kubeconfig", files_.path("plain"), "--authorization-kubeconfig",
        files_.path("plain"), "--bind-address=127.0.0.1",
        fmt::format("--secure-port={}", port_.load()),
        "--client-ca-file=" + files_.Write("ca.crt", authority_.certificate),
        "--tls-cert-file=" + files_.Write("own.crt", own_.certificate),
        "--tls-private-key-file=" + files_.Write("own.key", own_.key)});
    ApiClient api(upstream_);
    ASSERT_TRUE(Await([&] {
      return api.Get("/api/v1/namespaces/default/pods/big").body.contains("Insufficient cpu");
    })) << scheduler_->err();
  }

  // Returns a kubeconfig with a client certificate, or else with a token.
  std::string Kubeconfig(bool certificate) {
    const Certificate client = MakeCertificate(authority_, "admin", "DNS:admin");
    const std::string user =
        certificate ? fmt::format("client-certificate-data: {}, client-key-data: {}",
                                  EncodeBase64(client.certificate), EncodeBase64(client.key))
                    : "token: secret";
    return files_.Write("kubeconfig",
                        fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                    "clusters: [{{name: c, cluster: {{server: '{}', "
                                    "certificate-authority-data: {}}}}}]\n"
                                    "contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n"
                                    "users: [{{name: u, user: {{{}}}}}]\n",
                                    forwarder_->url(), EncodeBase64(authority_.certificate), user));
  }

  ProcessResult Why(bool certificate, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"why", "big", "--fixes=false", "--kubeconfig",
                                          Kubeconfig(certificate)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBerth(arguments);
  }

  const TemporaryDirectory files_;
  const Certificate authority_ = MakeAuthority("cluster");
  const Certificate own_ = MakeCertificate(authority_, "s", "DNS:localhost,IP:127.0.0.1");
  std::unique_ptr<RunningProcess> up_;
  uint16_t upstream_ = 0;
  std::atomic<uint16_t> port_ = 0;
  std::unique_ptr<FakePortForwarder> forwarder_;
  std::unique_ptr<RunningProcess> scheduler_;
};

TEST_F(WhyAttemptsTest, AsksTheLeaderThroughAPortForward) {
  StartCluster(StaticPod("m1", "berth-scheduler:v1") + "---\n" +
               StaticPod("m2", "berth-scheduler:v1") + "---\n" + Lease("m2_0b3c"));
  StartScheduler();
  const ProcessResult why = Why(true);
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_THAT(why.out, HasSubstr("The scheduler has it in the queue unschedulable"));
  EXPECT_THAT(why.out, testing::ContainsRegex("\n  attempt 1, (just now|[0-9]+ s ago): "));
  EXPECT_THAT(Why(true, {"-o", "wide"}).out, HasSubstr("\n  attempt 1, 20"));
  EXPECT_THAT(why.out, HasSubstr("NodeResourcesFit: Insufficient cpu\n"));
  EXPECT_THAT(forwarder_->forwarded(),
              testing::Each("/api/v1/namespaces/kube-system/pods/kube-scheduler-m2/"
                            "portforward?ports=10259"));
  const ProcessResult json = Why(true, {"-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"attempts\": ["));
}

TEST_F(WhyAttemptsTest, SendsTokensOnlyToAVerifiedScheduler) {
  StartCluster(StaticPod("m2", "berth-scheduler:v1"));
  StartScheduler();
  // The API server gets the token. The embedded one knows no tokens, so that the scheduler's review
  // of it fails, which shows that it was sent.
  const std::string rejected = "GET /berth/v1/attempts: unauthorized";
  const ProcessResult unverified = Why(false);
  EXPECT_EQ(unverified.code, 0) << unverified.err;
  EXPECT_THAT(unverified.out,
              HasSubstr("\nWhat its scheduler did is not known: pod kube-system/kube-scheduler-m2: "
                        "the kubeconfig has no client certificate, and a token is sent only to a "
                        "scheduler whose certificate is verified (--scheduler-ca-file).\n"));
  const std::string ca = files_.Write("scheduler-ca.crt", authority_.certificate);
  EXPECT_THAT(Why(false, {"--scheduler-ca-file", ca}).out, HasSubstr(rejected));
  EXPECT_THAT(Why(false, {"--scheduler-insecure-skip-tls-verify"}).out, HasSubstr(rejected));
  const std::string other = files_.Write("other.crt", MakeAuthority("other").certificate);
  EXPECT_THAT(Why(false, {"--scheduler-ca-file", other}).out,
              HasSubstr("TLS: certificate verify failed"));
  EXPECT_THAT(Why(false, {"--scheduler-ca-file", ca, "--scheduler-tls-server-name", "x"}).out,
              HasSubstr("TLS: certificate verify failed"));
}

TEST_F(WhyAttemptsTest, SaysInOneLineWhyTheyAreNotKnown) {
  StartCluster(StaticPod("m1", "berth-scheduler:v1"));
  const ProcessResult refused = Why(true);
  EXPECT_EQ(refused.code, 0) << refused.err;
  EXPECT_THAT(refused.out,
              HasSubstr("\nWhat its scheduler did is not known: pod kube-system/kube-scheduler-m1: "
                        "GET /api/v1/namespaces/kube-system/pods/kube-scheduler-m1/portforward: "
                        "forbidden: no port-forward for you.\n"));
  EXPECT_THAT(Why(true, {"-o", "json"}).out, HasSubstr("\"What its scheduler did is not known: "));
  const ProcessResult elsewhere = Why(true, {"--scheduler-namespace", "other"});
  EXPECT_EQ(elsewhere.code, 0);
  EXPECT_THAT(elsewhere.out, HasSubstr("\nWhat its scheduler did is not known: no pod of a "
                                       "berth-scheduler is to be seen in namespace other.\n"));
}

TEST_F(WhyAttemptsTest, SaysNothingOfKubeScheduler) {
  StartCluster(StaticPod("m1", "registry.k8s.io/kube-scheduler:v1.36.4"));
  const ProcessResult why = Why(true);
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_THAT(why.out, Not(HasSubstr("not known")));
  EXPECT_THAT(forwarder_->forwarded(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
