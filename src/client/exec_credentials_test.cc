#include "client/exec_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <mutex>

#include "client/exec_credentials.h"
#include "testing/await.h"
#include "testing/temporary_directory.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kToken =
    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
    R"("status":{"token":"t","expirationTimestamp":"1970-01-01T01:00:00Z"}})";

TEST(ExecInfoTest, ContainsVersionAndCluster) {
  ExecPlugin plugin;
  plugin.api_version = kExecV1;
  EXPECT_EQ(ExecInfo(plugin, nullptr),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
  const ExecCluster cluster{.server = "https://h",
                            .tls_server_name = "s",
                            .insecure = true,
                            .ca_data = "CA",
                            .config = R"({"a":[1]})"};
  plugin.api_version = kExecV1Beta1;
  EXPECT_EQ(ExecInfo(plugin, &cluster),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
            R"("spec":{"cluster":{"server":"https://h","tls-server-name":"s",)"
            R"("insecure-skip-tls-verify":true,"certificate-authority-data":"Q0E=",)"
            R"("config":{"a":[1]}},"interactive":false}})");
}

TEST(ParseExecCredentialTest, ReadsTokensAndCertificates) {
  const auto token = ParseExecCredential(kToken, kExecV1);
  ASSERT_TRUE(token.has_value()) << token.error().message;
  EXPECT_EQ(token->credential.bearer_token, "t");
  EXPECT_EQ(token->expires, Instant::FromUnixSeconds(3600));
  const auto pair = ParseExecCredential(
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","extra":1,
          "spec":{},"status":{"clientCertificateData":"-----BEGIN CERTIFICATE-----\n",
          "clientKeyData":"\n-----BEGIN RSA PRIVATE KEY-----","expirationTimestamp":null}})",
      kExecV1Beta1);
  ASSERT_TRUE(pair.has_value()) << pair.error().message;
  EXPECT_EQ(pair->credential.certificate, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_EQ(pair->credential.key, "\n-----BEGIN RSA PRIVATE KEY-----");
  EXPECT_EQ(pair->expires, std::nullopt);
}

TEST(ParseExecCredentialTest, ErrorsNameTheProblemWithoutSecrets) {
  const std::string head =
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)";
  const struct {
    std::string output;
    const char* want;
  } cases[] = {
      {"", "the plugin printed nothing"},
      {" \n", "the plugin printed nothing"},
      {"secret", "the plugin printed no JSON: line 1, column 1: "},
      {"{", "the plugin printed no JSON: line 1, column 2: "},
      {"{} {}", "the plugin printed no JSON: line 1, column 4: "},
      {"\xff\xfe", "the plugin printed no JSON: "},
      {std::string(100'000, '['), "the plugin printed no JSON: "},
      {"null", "the plugin's answer: kind: not set: must be ExecCredential"},
      {"[]", "the plugin's answer: the document: []: must be a map"},
      {"7", "the plugin's answer: the document: 7: must be a map"},
      {"{}", "the plugin's answer: kind: not set: must be ExecCredential"},
      {R"({"kind":1})", "the plugin's answer: kind: 1: must be a string"},
      {R"({"kind":"TokenReview"})", "kind: \"TokenReview\": must be ExecCredential"},
      {R"({"kind":"ExecCredential"})",
       "apiVersion: not set: must be client.authentication.k8s.io/v1, as the kubeconfig says"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "apiVersion: \"client.authentication.k8s.io/v1beta1\": must be client.authentication.k8s"},
      {R"({"kind":"ExecCredential","apiVersion":{}})", "apiVersion: {}: must be a string"},
      {head + R"("x":1})", "status: not set"},
      {head + R"("status":null})", "status: not set"},
      {head + R"("status":"secret"})", "status: "},
      {head + R"("status":{}})", "status has neither a token nor a certificate with its key"},
      {head + R"("status":{"token":""}})", "status has neither a token nor a certificate"},
      {head + R"("status":{"token":123}})", "status.token: a number where a string is expected"},
      {head + R"("status":{"token":["secret"]}})", "status.token: a list where a string is exp"},
      {head + R"("status":{"token":"secret\r\nX: y"}})", "status.token: has control characters"},
      {head + R"("status":{"clientKeyData":"secret"}})",
       "status.clientKeyData without status.clientCertificateData"},
      {head + R"("status":{"clientCertificateData":"secret"}})",
       "status.clientCertificateData without status.clientKeyData"},
      {head + R"("status":{"clientCertificateData":"secret","clientKeyData":"secret"}})",
       "status.clientCertificateData: this is not PEM"},
      {head + R"("status":{"clientCertificateData":"-----BEGIN X","clientKeyData":"secret"}})",
       "status.clientKeyData: this is not PEM"},
      {head + R"("status":{"clientCertificateData":{},"clientKeyData":"secret"}})",
       "status.clientCertificateData: a map where a string is expected"},
      {head + R"("status":{"token":"secret","expirationTimestamp":"soon"}})",
       "status.expirationTimestamp: \"soon\": "},
      {head + R"("status":{"token":"secret","expirationTimestamp":1700000000}})",
       "status.expirationTimestamp: 1700000000: must be a string"},
      {head + R"("status":{"token":"secret","expirationTimestamp":"2026-02-30T00:00:00Z"}})",
       "status.expirationTimestamp: \"2026-02-30T00:00:00Z\": "},
  };
  for (const auto& c : cases) {
    const auto result = ParseExecCredential(c.output, kExecV1);
    ASSERT_FALSE(result.has_value()) << c.output;
    EXPECT_THAT(result.error().message, HasSubstr(c.want)) << c.output;
    if (!c.output.contains(R"("status":"secret")")) {
      EXPECT_THAT(result.error().message, Not(HasSubstr("secret"))) << c.output;
    }
  }
}

ExecRequest Shell(const std::string& script) {
  ExecRequest request;
  request.command = "sh";
  request.args = {"-c", script};
  return request;
}

TEST(RunCommandTest, CollectsTheOutput) {
  ExecRequest request = Shell("cat; echo out $A $B; echo err >&2; exit 3");
  request.env = {"A=first", "B=two", "A=one"};
  const auto outcome = RunCommand(request);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->output, "out one two\n");
  EXPECT_EQ(outcome->error_output, "err\n");
}

TEST(RunCommandTest, InheritsNoFiles) {
  const auto outcome = RunCommand(Shell("ls /proc/self/fd | wc -l"));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->output, "4\n");  // Three standard streams, and the folder that ls reads.
}

TEST(RunCommandTest, ReadsLongOutputAndTruncatesLongErrorOutput) {
  const auto outcome = RunCommand(
      Shell("head -c 900000 /dev/zero | tr '\\0' x; head -c 900000 /dev/zero >&2; echo end"));
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->output.size(), 900'004u);
  EXPECT_EQ(outcome->error_output.size(), 4096u);
}

TEST(RunCommandTest, KillsCommandsThatExceedTheLimits) {
  ExecRequest endless = Shell("cat /dev/zero");
  auto outcome = RunCommand(endless);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().message, "it printed more than 1048576 bytes");

  ExecRequest slow = Shell("sleep 1000 & wait");
  slow.timeout = Duration::Millis(20);
  outcome = RunCommand(slow);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().message, "it did not end within 20ms");

  outcome = RunCommand(Shell("kill -9 $$"));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->exit_code, -1);

  // A command that closes its output early is waited for only until it exits.
  outcome = RunCommand(Shell("echo done; exec >/dev/null 2>&1; exit 0"));
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->output, "done\n");
}

TEST(RunCommandTest, ReportsCommandsThatCannotBeRun) {
  ExecRequest request;
  request.command = "berth-no-such-command";
  auto outcome = RunCommand(request);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_TRUE(outcome.error().not_found);
  const TemporaryDirectory folder;
  request.command = folder.Write("text", "not a program");
  outcome = RunCommand(request);
  ASSERT_FALSE(outcome.has_value());
  EXPECT_FALSE(outcome.error().not_found);
  EXPECT_EQ(outcome.error().message, "Permission denied");
}

// FakePlugin is the plugin: each run returns the next of its results.
struct FakePlugin {
  std::mutex mutex;
  std::deque<std::expected<ExecOutcome, ExecFailure>> results;
  std::vector<ExecRequest> runs;

  ExecCredentials::Runner runner() {
    return [this](const ExecRequest& request, int) -> std::expected<ExecOutcome, ExecFailure> {
      const std::lock_guard lock(mutex);
      runs.push_back(request);
      if (results.empty()) return std::unexpected(ExecFailure{false, "no result left"});
      auto result = results.front();
      results.pop_front();
      return result;
    };
  }
  void Prints(const std::string& token, const std::string& expires = "") {
    results.push_back(ExecOutcome{
        .exit_code = 0,
        .output = R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                  R"("status":{"token":")" +
                  token + "\"" +
                  (expires.empty() ? "" : ",\"expirationTimestamp\":\"" + expires + "\"") + "}}",
        .error_output = ""});
  }
};

// Returns the token, or the error.
std::string TokenOf(Credentials& credentials) {
  std::promise<std::string> promise;
  credentials.Get([&](Result<Credential> credential) {
    promise.set_value(credential ? credential->bearer_token : credential.error().message);
  });
  return Await(promise);
}

class ExecCredentialsTest : public testing::Test {
 protected:
  ExecCredentialsTest() {
    config_.command = "login";
    config_.args = {"-x"};
    config_.env = {{"A", "b"}};
    config_.api_version = kExecV1;
    config_.install_hint = "Install login from https://example.com.";
  }
  std::unique_ptr<ExecCredentials> Make() {
    return std::make_unique<ExecCredentials>(config_, ExecCluster{.server = "https://h"}, clock_,
                                             plugin_.runner());
  }

  ExecPlugin config_;
  FakePlugin plugin_;
  SimClock clock_;
};

TEST_F(ExecCredentialsTest, AreCachedUntilTheyExpire) {
  plugin_.Prints("one", "1970-01-01T00:00:10Z");
  plugin_.Prints("two");
  const auto credentials = Make();
  EXPECT_EQ(TokenOf(*credentials), "one");
  EXPECT_EQ(TokenOf(*credentials), "one");
  clock_.Advance(Duration::Seconds(10));
  EXPECT_EQ(TokenOf(*credentials), "two");
  clock_.Advance(Duration::Seconds(1'000'000));
  EXPECT_EQ(TokenOf(*credentials), "two");
  EXPECT_EQ(plugin_.runs.size(), 2u);
  EXPECT_EQ(plugin_.runs[0].command, "login");
  EXPECT_EQ(plugin_.runs[0].args, std::vector<std::string>{"-x"});
  EXPECT_THAT(plugin_.runs[0].env, Contains("A=b"));
  EXPECT_THAT(plugin_.runs[0].env, Contains(StartsWith("KUBERNETES_EXEC_INFO={")));
  EXPECT_THAT(plugin_.runs[0].env, Not(Contains(HasSubstr("https://h"))));
}

TEST_F(ExecCredentialsTest, PassTheClusterToPluginsThatRequestIt) {
  config_.provide_cluster_info = true;
  plugin_.Prints("one");
  EXPECT_EQ(TokenOf(*Make()), "one");
  EXPECT_THAT(plugin_.runs[0].env, Contains(HasSubstr(R"("cluster":{"server":"https://h"})")));
}

TEST_F(ExecCredentialsTest, AreRequestedAgainWhenRejected) {
  plugin_.Prints("one");
  plugin_.Prints("two");
  const auto credentials = Make();
  EXPECT_EQ(TokenOf(*credentials), "one");
  credentials->Refused({.bearer_token = "other"});
  EXPECT_EQ(TokenOf(*credentials), "one");
  credentials->Refused({.bearer_token = "one"});
  EXPECT_EQ(TokenOf(*credentials), "two");
}

TEST_F(ExecCredentialsTest, FailuresHaveAReasonAndAreRetried) {
  plugin_.results = {
      std::unexpected(ExecFailure{true, "No such file or directory"}),
      std::unexpected(ExecFailure{false, "it did not end within 1m0s"}),
      ExecOutcome{.exit_code = 4, .output = kToken, .error_output = " please log in\n"},
      ExecOutcome{.exit_code = -1},
      ExecOutcome{.exit_code = 0, .output = "{}"},
  };
  plugin_.Prints("one");
  const auto credentials = Make();
  EXPECT_EQ(TokenOf(*credentials),
            "credential plugin \"login\": No such file or directory\n"
            "Install login from https://example.com.");
  EXPECT_EQ(TokenOf(*credentials), "credential plugin \"login\": it did not end within 1m0s");
  EXPECT_EQ(TokenOf(*credentials),
            "credential plugin \"login\": it ended with exit code 4: please log in");
  EXPECT_EQ(TokenOf(*credentials), "credential plugin \"login\": a signal ended it");
  EXPECT_EQ(TokenOf(*credentials),
            "credential plugin \"login\": the plugin's answer: kind: not set: must be "
            "ExecCredential");
  EXPECT_EQ(TokenOf(*credentials), "one");
}

TEST_F(ExecCredentialsTest, DestructionKillsThePluginAndFailsPendingCalls) {
  config_.command = "sh";
  config_.args = {"-c", "sleep 1000"};
  auto credentials = std::make_unique<ExecCredentials>(config_, ExecCluster(), clock_);
  std::promise<std::string> promise;
  credentials->Get([&](Result<Credential> credential) {
    promise.set_value(credential ? "a credential" : credential.error().message);
  });
  credentials.reset();
  EXPECT_THAT(Await(promise), HasSubstr("it was cancelled"));
}

TEST_F(ExecCredentialsTest, ACallbackMayReleaseTheLastReference) {
  plugin_.Prints("one");
  std::shared_ptr<ExecCredentials> credentials = Make();
  const std::weak_ptr<ExecCredentials> still_alive = credentials;
  std::promise<std::string> promise;
  Credentials& same = *credentials;
  same.Get([&, owner = std::move(credentials)](const Result<Credential>& credential) mutable {
    const std::string token = credential ? credential->bearer_token : credential.error().message;
    owner.reset();
    EXPECT_TRUE(still_alive.expired());
    promise.set_value(token);
  });
  EXPECT_EQ(Await(promise), "one");
  EXPECT_EQ(plugin_.runs.size(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
