// `berth check`, against an API server that allows everything and has no objects.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;

struct Server {
  std::string version = "v1.36.0";
  std::string forbidden = {};  // Reviews that contain it are refused.
  std::string holder = {};     // Of the lease; empty if there is none.
};

// Runs berth check against a server whose lists of ResourceClaims have `claims` as items, with the
// given configuration if it is not empty.
ProcessResult Check(const std::string& claims, const std::string& config = "",
                    const std::vector<std::string>& more = {}, const Server& served = {}) {
  const FakeHttpServer server([&](const ReceivedRequest& request) {
    if (request.target == "/version") {
      return FakeResponse{200, fmt::format(R"({{"gitVersion":"{}"}})", served.version)};
    }
    const bool refused =
        !served.forbidden.empty() && request.body.find(served.forbidden) != std::string::npos;
    if (request.method == "POST" && refused) {
      return FakeResponse{201, R"({"status":{"allowed":false,"reason":"not you"}})"};
    }
    if (request.method == "POST") return FakeResponse{201, R"({"status":{"allowed":true}})"};
    if (request.target.find("/leases/") != std::string::npos && served.holder.empty()) {
      return FakeResponse{404, "{}"};
    }
    if (request.target.find("/leases/") != std::string::npos) {
      return FakeResponse{200,
                          fmt::format(R"({{"spec":{{"holderIdentity":"{}"}}}})", served.holder)};
    }
    const bool of_claims = request.target.find("/resourceclaims") != std::string::npos;
    return FakeResponse{200, fmt::format(R"({{"items":[{}]}})", of_claims ? claims : "")};
  });
  const TemporaryDirectory files;
  const std::string kubeconfig =
      files.Write("kubeconfig", fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                            "clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                            "contexts: [{{name: c, context: {{cluster: c}}}}]\n",
                                            server.url()));
  std::vector<std::string> arguments{"check", "--kubeconfig", kubeconfig};
  if (!config.empty()) {
    arguments.insert(arguments.end(), {"--config", files.Write("config.yaml", config)});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunBerth(arguments);
}

std::string Config(const std::string& rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + rest;
}

TEST(CheckCommand, FindsNoProblem) {
  const ProcessResult ended = Check("");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ok       server version is v1.36.0"));
  EXPECT_THAT(ended.out, Not(HasSubstr("note")));
}

TEST(CheckCommand, HasNothingToSayAboutResourceClaims) {
  const ProcessResult ended = Check(R"({"metadata":{"name":"gpu"}})");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("note")));
}

TEST(CheckCommand, CountsEachProblemOfTheConfiguration) {
  const ProcessResult ended = Check("", Config("parallelism: 0\npercentageOfNodesToScore: 101\n"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("config.yaml: parallelism: Invalid value: 0"));
  EXPECT_THAT(ended.out, HasSubstr("PROBLEM  "));
  EXPECT_THAT(ended.out, HasSubstr("\n         fix: correct this field\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n2 problems found.\n"));
}

TEST(CheckCommand, GoesOnAfterProblems) {
  const ProcessResult broken = Check("", "kind: KubeSchedulerConfiguration\n");
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, HasSubstr("the defaults are checked instead"));
  EXPECT_THAT(broken.out, HasSubstr("ok       server version is v1.36.0; this release serves "
                                    "v1.36, v1.37"));
  EXPECT_THAT(broken.out, HasSubstr(" permissions granted"));
  const ProcessResult gates = Check("", "", {"--feature-gates", "Nope=true"});
  EXPECT_EQ(gates.code, 1);
  EXPECT_THAT(gates.out, HasSubstr("PROBLEM  --feature-gates: unrecognized feature gate: Nope"));
  EXPECT_THAT(gates.out, HasSubstr(" resources can be listed"));
}

TEST(CheckCommand, NamesTheRuleThatGrantsAPermission) {
  const ProcessResult ended = Check("", "", {}, {.forbidden = "binding"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              HasSubstr("PROBLEM  cannot create pods/binding: not you\n"
                        "         fix: add to a ClusterRole of this user: {apiGroups: [\"\"], "
                        "resources: [pods/binding], verbs: [create]}\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n1 problem found (2 notes).\n"));
}

TEST(CheckCommand, AsksForThePermissionsOfACandidate) {
  const ProcessResult ended = Check("", "", {"--feature-gates", "CoordinatedLeaderElection=true"},
                                    {.forbidden = "leasecandidates"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("note     cannot watch leasecandidates.coordination.k8s.io in "
                                   "namespace kube-system: required by coordinated leader"));
}

TEST(CheckCommand, ReportsAServerThatIsNotServed) {
  const ProcessResult older = Check("", "", {}, {.version = "v1.35.1"});
  EXPECT_EQ(older.code, 0) << older.out << older.err;
  EXPECT_THAT(older.out, HasSubstr("note     server version is v1.35.1; this release serves v1.36, "
                                   "v1.37, since a scheduler must not be newer"));
  EXPECT_THAT(Check("", "", {}, {.version = ""}).out,
              HasSubstr("PROBLEM  /version: no gitVersion"));
}

TEST(CheckCommand, ReportsWhoHasTheLease) {
  const ProcessResult ended = Check("", "", {}, {.holder = "master-1_x"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("note     lease kube-system/kube-scheduler is held by "
                                   "master-1_x: berth-scheduler waits"));
}

TEST(CheckCommand, PrintsJson) {
  const ProcessResult ended =
      Check("", Config("parallelism: 0\n"), {"-o", "json"}, {.holder = "other"});
  EXPECT_EQ(ended.code, 1);
  const auto parsed = api::ParseJson(ended.out);
  ASSERT_TRUE(parsed) << ended.out;
  const api::JsonObject* report = api::AsObject(*parsed);
  EXPECT_EQ(api::IntAt(report, "problems"), 1);
  EXPECT_EQ(api::IntAt(report, "notes"), 1);
  EXPECT_EQ(api::StringAt(report, "serverVersion"), "v1.36.0");
  EXPECT_THAT(ended.out, HasSubstr("\"check\": \"configuration\""));
  EXPECT_THAT(ended.out, HasSubstr("\"fix\": \"correct this field\""));
}

TEST(CheckCommand, AServerThatCannotBeReachedIsAProblem) {
  const TemporaryDirectory files;
  const std::string kubeconfig =
      files.Write("kubeconfig",
                  "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                  "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
                  "contexts: [{name: c, context: {cluster: c}}]\n");
  const ProcessResult ended = RunBerth({"check", "--kubeconfig", kubeconfig});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("PROBLEM  GET http://127.0.0.1:1/version"));
  EXPECT_THAT(ended.out, HasSubstr("permissions and resources are not checked\n"));
}

TEST(CheckCommand, TriesExtenders) {
  // Any response will do: an extender serves no GET requests.
  const FakeHttpServer extender([](const ReceivedRequest&) { return FakeResponse{404, ""}; });
  const ProcessResult ended =
      Check("", Config(fmt::format("extenders: [{{urlPrefix: \"{}\", filterVerb: filter}}]\n",
                                   extender.url())));
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ok       extender " + extender.url() + " responds"));
}

TEST(CheckCommand, AnExtenderThatDoesNotRespondIsAProblem) {
  // Port 1 is reserved, and nothing listens on it.
  const ProcessResult ended =
      Check("", Config("extenders:\n"
                       "- {urlPrefix: \"http://127.0.0.1:1/a\", filterVerb: "
                       "f}\n"
                       "- {urlPrefix: \"http://127.0.0.1:1/b\", filterVerb: "
                       "f, ignorable: true}\n"));
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("PROBLEM  extender http://127.0.0.1:1/a does not respond: "));
  EXPECT_THAT(ended.out, HasSubstr("\n         fix: start it, correct urlPrefix and tlsConfig, or "
                                   "set ignorable: true\n"));
  EXPECT_THAT(ended.out, HasSubstr("note     extender http://127.0.0.1:1/b does not respond: "));
  EXPECT_THAT(ended.out, HasSubstr("\n1 problem found (1 note).\n"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
