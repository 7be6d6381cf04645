// `berth check`, against an API server that allows everything and has no objects.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;

// Runs berth check against a server whose lists of ResourceClaims have `claims` as items, with the
// given configuration if it is not empty.
ProcessResult Check(const std::string& claims, const std::string& config = "") {
  const FakeHttpServer server([&](const ReceivedRequest& request) {
    if (request.target == "/version") return FakeResponse{200, R"({"gitVersion":"v1.36.0"})"};
    if (request.method == "POST") return FakeResponse{201, R"({"status":{"allowed":true}})"};
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
  EXPECT_THAT(ended.out, HasSubstr("\n2 problems found.\n"));
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
  EXPECT_THAT(ended.out, HasSubstr("set ignorable: true\n"));
  EXPECT_THAT(ended.out, HasSubstr("note     extender http://127.0.0.1:1/b does not respond: "));
  EXPECT_THAT(ended.out, HasSubstr("\n1 problem found.\n"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
