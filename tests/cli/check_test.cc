// `berth check`, against an API server that allows everything and has no objects.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;

// Runs berth check against a server whose lists of ResourceClaims have `claims` as items.
ProcessResult Check(const std::string& claims) {
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
  return RunBerth({"check", "--kubeconfig", kubeconfig});
}

TEST(CheckCommand, FindsNoProblem) {
  const ProcessResult ended = Check("");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("ok       server version is v1.36.0"));
  EXPECT_THAT(ended.out, Not(HasSubstr("note")));
}

TEST(CheckCommand, NotesResourceClaims) {
  const ProcessResult ended = Check(R"({"metadata":{"name":"gpu"}})");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("note     the cluster has ResourceClaims"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
