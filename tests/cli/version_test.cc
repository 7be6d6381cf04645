// `berth version`, and the table of versions in the documentation.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "berth_process_testing.h"
#include "testing/await.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using api::StringAt;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(VersionCommand, PrintsTheBuild) {
  const ProcessResult ended = RunBerth({"version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, MatchesRegex("berth [0-9.]+ \\(kube-scheduler v1.36\\)\n"
                                      "commit +(unknown|[0-9a-f]+(, modified)?)\n"
                                      "date +(unknown|[-0-9T:]+Z)\n"
                                      "compiler +[^\n]+\n"
                                      "platform +linux/[a-z0-9]+\n"
                                      "API servers v1.36, v1.37\n"));
  EXPECT_THAT(ended.out, StartsWith(RunBerth({"--version"}).out));
}

TEST(VersionCommand, PrintsJson) {
  const ProcessResult ended = RunBerth({"version", "-o", "json"});
  const auto parsed = api::ParseJson(ended.out);
  ASSERT_TRUE(parsed) << ended.out;
  const api::JsonObject* version = api::AsObject(*parsed);
  EXPECT_THAT(std::string(StringAt(version, "version")), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(std::string(StringAt(version, "commit")), MatchesRegex("([0-9a-f]{40})?"));
  EXPECT_THAT(std::string(StringAt(version, "treeState")), MatchesRegex("(clean|dirty)?"));
  EXPECT_EQ(StringAt(api::ObjectAt(version, "kubernetes"), "scheduler"), "1.36");
  EXPECT_THAT(ended.out, HasSubstr("\"name\": \"GenericWorkload\""));
}

TEST(VersionCommand, TheDocumentationHasTheSameTable) {
  const ProcessResult ended = RunBerth({"version", "-o", "json"});
  const auto parsed = api::ParseJson(ended.out);
  ASSERT_TRUE(parsed);
  const api::JsonObject* version = api::AsObject(*parsed);
  const api::JsonObject* kubernetes = api::ObjectAt(version, "kubernetes");
  std::string servers;
  for (const api::Json& server : *api::ArrayAt(kubernetes, "servers")) {
    servers += fmt::format("{}v{}", servers.empty() ? "" : ", ", api::AsString(server));
  }
  const std::string release(StringAt(version, "version"));
  std::ifstream file(BERTH_SOURCE_DIR "/docs/scheduler.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text,
              HasSubstr(fmt::format("\n| {} | v{} | {} |\n", release.substr(0, release.rfind('.')),
                                    StringAt(kubernetes, "scheduler"), servers)));
}

// It starts all the same. What it logs about this server's lists does not matter here.
TEST(ServedVersions, TheSchedulerWarnsOfAnOlderServer) {
  const FakeHttpServer server([](const ReceivedRequest& request) {
    const bool version = request.target == "/version";
    return FakeResponse{200, version ? R"({"gitVersion":"v1.35.2"})" : R"({"items":[]})"};
  });
  RunningProcess scheduler({BERTH_SCHEDULER_BINARY, "--master", server.url(), "--secure-port", "0",
                            "--leader-elect=false", "--logging-format", "json", "--profiling"});
  EXPECT_TRUE(Await([&] {
    return scheduler.err().find("\"msg\":\"server version is v1.35.2; this release serves ") !=
           std::string::npos;
  })) << scheduler.err();
  scheduler.End(SIGTERM);
  std::istringstream lines(scheduler.err());
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, StartsWith("{\"ts\":"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
