// `berth up` and `berth dashboard` serve the API /berth/v1 and the dashboard.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/api_client.h"
#include "testing/await.h"
#include "testing/temporary_directory.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kObjects =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: small}\n"
    "spec: {containers: [{name: c, image: i}]}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: big}\n"
    "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 90}}}]}\n";

uint16_t PortOf(const std::string& url) {
  const size_t colon = url.find(':', url.find("//"));
  return static_cast<uint16_t>(std::stoi(url.substr(colon + 1)));
}

// Sends a GET request to the dashboard of that link; returns the whole response.
std::string Get(const std::string& link, const std::string& target, const std::string& headers) {
  RawClient client(PortOf(link));
  client.Send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(PortOf(link)) +
              "\r\n" + headers + "Connection: close\r\n\r\n");
  return client.ReadAll();
}

// Opens the link; returns the header with the cookie of the session, empty if there is none.
std::string Open(const std::string& link) {
  const std::string response = Get(link, "/" + link.substr(link.find('?')), "");
  const size_t at = response.find("Set-Cookie: ");
  if (at == std::string::npos) return "";
  return "Cookie: " + response.substr(at + 12, response.find(';', at) - at - 12) + "\r\n";
}

// Requests a path of the dashboard's API, as a program that knows the printed link.
std::string Ask(const std::string& link, const std::string& path) {
  return Get(link, "/berth/v1/" + path, Open(link));
}

// An environment variable of the programs that a test runs.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class DashboardTest : public testing::Test {
 protected:
  TemporaryDirectory files_;
  std::string kubeconfig_ = files_.path("kubeconfig");
  std::vector<std::string> UpWith(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        BERTH_BINARY,   "up",       "--port", "0",
        "--nodes",      "3",        "-f",     files_.Write("objects.yaml", kObjects),
        "--kubeconfig", kubeconfig_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

class UpDashboardTest : public DashboardTest, public testing::WithParamInterface<std::string> {};

TEST_P(UpDashboardTest, ShowsItsScheduler) {
  RunningProcess up(UpWith({"--scheduler", GetParam()}));
  const std::string url = up.WaitForLine("listening on ");
  const std::string dashboard = up.WaitForLine("dashboard: ");
  ASSERT_NE(dashboard, "") << up.err();
  EXPECT_TRUE(Await([&] {
    return Ask(dashboard, "pods?name=big").find(R"("queue":"unschedulable")") != std::string::npos;
  })) << Ask(dashboard, "pods?name=big");
  EXPECT_THAT(Ask(dashboard, "cluster"), HasSubstr(R"("server":"up")"));
  EXPECT_THAT(Ask(dashboard, "pods/default/big"), HasSubstr("NodeResourcesFit"));
  // Programs with the kubeconfig use the port of the API server.
  ApiClient api(PortOf(url));
  EXPECT_THAT(api.Get("/berth/v1/cluster").body, HasSubstr(R"("kind":"Cluster")"));
  EXPECT_EQ(api.Ask("POST", "/berth/v1/cluster").status, 405);
  EXPECT_EQ(api.Get("/berth/v2/cluster").status, 404);
  for (const std::vector<std::string>& address :
       {std::vector<std::string>(), std::vector<std::string>{"--scheduler-address", url}}) {
    std::vector<std::string> arguments = {"why", "big", "--kubeconfig", kubeconfig_};
    arguments.insert(arguments.end(), address.begin(), address.end());
    const ProcessResult why = RunBerth(arguments);
    EXPECT_EQ(why.code, 0) << why.err;
    EXPECT_THAT(why.out, HasSubstr("The scheduler has it in the queue unschedulable"));
    EXPECT_THAT(why.out, HasSubstr("\n  attempt 1, "));
    EXPECT_THAT(why.out, HasSubstr("\n    3 nodes: NodeResourcesFit: Insufficient cpu\n"));
  }
  EXPECT_EQ(up.End(SIGTERM), 0) << up.err();
}

INSTANTIATE_TEST_SUITE_P(Schedulers, UpDashboardTest, testing::Values("embedded", "http"),
                         [](const auto& mode) { return mode.param; });

TEST_F(DashboardTest, OfUpCanBeLeftOut) {
  RunningProcess up(UpWith({"--dashboard=false"}));
  ApiClient api(PortOf(up.WaitForLine("listening on ")));
  EXPECT_EQ(api.Get("/berth/v1/cluster").status, 404);
  EXPECT_EQ(up.End(SIGTERM), 0) << up.err();
}

TEST_F(DashboardTest, WatchesAnyCluster) {
  RunningProcess up(UpWith({"--dashboard=false"}));
  ASSERT_NE(up.WaitForLine("listening on "), "");
  RunningProcess watcher({BERTH_BINARY, "dashboard", "--kubeconfig", kubeconfig_});
  const std::string dashboard = watcher.WaitForLine("dashboard: ");
  ASSERT_NE(dashboard, "") << watcher.err();
  EXPECT_THAT(Ask(dashboard, "cluster"), HasSubstr(R"("server":"dashboard")"));
  EXPECT_TRUE(Await([&] {
    return Ask(dashboard, "pods?name=big").find(R"("queue":"unschedulable")") != std::string::npos;
  })) << Ask(dashboard, "pods?name=big");
  EXPECT_TRUE(Await(
      [&] { return Ask(dashboard, "pods?name=small").find(R"("node":)") != std::string::npos; }));
  EXPECT_THAT(Ask(dashboard, "pods/default/big/fixes"), HasSubstr("LowerRequest"));
  EXPECT_EQ(watcher.End(SIGTERM), 0) << watcher.err();
  EXPECT_EQ(up.End(SIGTERM), 0) << up.err();
}

TEST_F(DashboardTest, LinksAreMadeAnewWhileItIsServed) {
  const ScopedVariable runtime("XDG_RUNTIME_DIR", files_.path());
  const ScopedVariable path("PATH", "/nowhere");  // Without a browser.
  const ProcessResult none = RunBerth({"dashboard", "--open"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("this user serves no dashboard"));

  RunningProcess up(UpWith({}));
  const std::string printed = up.WaitForLine("dashboard: ");
  ASSERT_NE(printed, "") << up.err();
  EXPECT_NE(Open(printed), "");
  EXPECT_NE(Open(printed), "");
  const ProcessResult opened = RunBerth({"dashboard", "--open"});
  EXPECT_EQ(opened.code, 0) << opened.err;
  ASSERT_THAT(opened.out, ::testing::StartsWith("dashboard: http://127.0.0.1:"));
  EXPECT_THAT(opened.err, HasSubstr("open it yourself"));
  const std::string made = opened.out.substr(11, opened.out.size() - 12);
  EXPECT_EQ(PortOf(made), PortOf(printed));
  EXPECT_THAT(Ask(made, "cluster"), HasSubstr(R"("server":"up")"));
  // The browser is led to the link by a page, since other users see the arguments of programs.
  const std::string page = "berth/dashboard-" + std::to_string(PortOf(printed)) + ".html";
  EXPECT_THAT(files_.Read(page), HasSubstr(made));
  EXPECT_EQ(std::filesystem::status(files_.path(page)).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(RunBerth({"dashboard", "--open", "--port", "1"}).code, 1);
  EXPECT_EQ(RunBerth({"dashboard", "--open", "--context", "prod"}).code, 2);

  EXPECT_EQ(up.End(SIGTERM), 0) << up.err();
  EXPECT_TRUE(std::filesystem::is_empty(files_.path("berth")));
}

TEST_F(DashboardTest, FilesOfDeadProcessesAndOfOthersAreNotTrusted) {
  const ScopedVariable runtime("XDG_RUNTIME_DIR", files_.path());
  {
    RunningProcess up(UpWith({}));
    ASSERT_NE(up.WaitForLine("dashboard: "), "");
  }  // Killed.
  EXPECT_FALSE(std::filesystem::is_empty(files_.path("berth")));
  EXPECT_EQ(RunBerth({"dashboard", "--open"}).code, 1);
  EXPECT_TRUE(std::filesystem::is_empty(files_.path("berth")));

  std::filesystem::permissions(files_.path("berth"), std::filesystem::perms::all);
  EXPECT_THAT(RunBerth({"dashboard", "--open"}).err, HasSubstr("is not a directory of this user"));
}

TEST_F(DashboardTest, SaysWhatIsWrong) {
  EXPECT_THAT(RunBerth({"dashboard", "--kubeconfig", files_.path("none")}).err,
              HasSubstr("berth dashboard: "));
  EXPECT_EQ(RunBerth({"dashboard", "--port", "70000"}).code, 2);
  const ProcessResult many =
      RunBerth({"why", "--all-pending", "--scheduler-address", "http://127.0.0.1:1"});
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("--scheduler-address requires a pod"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
