// `berth up` from the command line, without other programs; tests/e2e has the rest.
#include <gmock/gmock.h>

#include <regex>
#include <sstream>
#include <string>

#include "berth_process_testing.h"
#include "testing/await.h"
#include "testing/raw_client.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

class UpDemoTest : public testing::TestWithParam<const char*> {};

// The scheduler runs on the store or over HTTP.
INSTANTIATE_TEST_SUITE_P(Schedulers, UpDemoTest, testing::Values("embedded", "http"),
                         [](const auto& test) { return test.param; });

// Returns how many pods are pending because all nodes lack the resource. Their messages may differ:
// how many nodes lack another one, too, depends on how many pods are bound when a pod is tried.
int PodsWithout(const std::string& report, const std::string& resource) {
  const std::regex line(" *([0-9]+)  0/1000 nodes are available: 1000 Insufficient " + resource +
                        "[,.].*");
  std::istringstream lines(report);
  int pods = 0;
  std::smatch found;
  for (std::string text; std::getline(lines, text);) {
    if (std::regex_match(text, found, line)) pods += std::stoi(found[1]);
  }
  return pods;
}

TEST_P(UpDemoTest, SchedulesTenThousandPodsAndExits) {
  const ProcessResult ended = RunBerth({"up", "--demo", "--scheduler", GetParam()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("scheduled  9,978 pods in "));
  EXPECT_THAT(ended.out, HasSubstr("pending    22 pods\n"));
  EXPECT_EQ(PodsWithout(ended.out, "cpu"), 12);
  EXPECT_THAT(ended.out,
              HasSubstr("       8  0/1000 nodes are available: 1000 node(s) didn't match Pod's "
                        "node affinity/selector.\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("       2  0/1000 nodes are available: 1000 node(s) didn't match pod "
                        "anti-affinity rules.\n"));
  EXPECT_THAT(ended.out, HasSubstr("  zone-a    334  "));
}

TEST(Up, RejectsInvalidOptionsBeforeItStarts) {
  const TemporaryDirectory files;
  const std::string empty = files.Write("empty.yaml", "");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* want;
  };
  const Case cases[] = {
      {{"--scheduler", "somebody"}, 2, "must be one of embedded, http, none\n"},
      {{"--speed", "0"}, 2, "\"0\" for \"--speed\" flag: must be a number from 0.001 to 10000\n"},
      {{"--nodes", "-1"}, 2, "\"-1\" for \"--nodes\" flag: must be an integer from 0 to 100000\n"},
      {{"--scheduler", "none", "--config", "x.yaml"},
       1,
       "--config cannot be used with --scheduler=none"},
      {{"--scheduler", "http", "--speed", "2"}, 1, "--scheduler=http requires --speed=1"},
      {{"--config", "/nowhere.yaml"}, 1, "--config /nowhere.yaml: No such file"},
      {{"-f", "/nowhere.yaml"}, 1, "--filename /nowhere.yaml: No such file"},
      {{"--nodes-from", "/nowhere.yaml"}, 1, "--nodes-from /nowhere.yaml: No such file"},
      {{"--nodes-from", empty}, 1, "empty.yaml: contains no nodes"},
      {{"--address", "0.0.0.0"}, 1, "--tls"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments{"up", "--port", "0"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const ProcessResult ended = RunBerth(arguments);
    EXPECT_EQ(ended.code, c.code) << c.want;
    EXPECT_THAT(ended.err + ended.out, HasSubstr(c.want));
  }
}

TEST(Up, ReportsObjectsThatFailAndGoesOn) {
  const TemporaryDirectory files;
  const std::string objects =
      files.Write("objects.yaml",
                  "apiVersion: v1\nkind: Boat\n---\n"
                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {contaners: []}\n---\n"
                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: last}\n");
  RunningProcess up(
      {BERTH_BINARY, "up", "--port", "0", "-f", objects, "--kubeconfig", files.path("kubeconfig")});
  const std::string url = up.WaitForLine("listening on ");
  EXPECT_THAT(up.err(), HasSubstr("objects.yaml: document 1: no matches for kind \"Boat\" in "
                                  "version \"v1\"\n"));
  EXPECT_THAT(up.err(), HasSubstr("unknown field \"spec.contaners\"\n"));
  EXPECT_THAT(up.err(), HasSubstr("berth up: 2 of 3 objects could not be applied\n"));
  RawClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  client.Send(
      "GET /api/v1/namespaces/default/configmaps/last HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_EQ(up.End(SIGTERM), 0);
}

// Returns the text of /metrics.
std::string Metrics(const std::string& url) {
  RawClient client(static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  client.Send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  return client.ReadAll();
}

TEST_P(UpDemoTest, MetricsOfTheSchedulerAreServed) {
  const TemporaryDirectory files;
  const std::string pod = files.Write("pod.yaml",
                                      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: "
                                      "{containers: [{name: c, image: i}]}\n");
  RunningProcess up({BERTH_BINARY, "up", "--port", "0", "--nodes", "1", "-f", pod, "--scheduler",
                     GetParam(), "--kubeconfig", files.path("kubeconfig")});
  const std::string url = up.WaitForLine("listening on ");
  const std::string wanted =
      "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 1\n";
  EXPECT_TRUE(Await([&] { return Metrics(url).find(wanted) != std::string::npos; }))
      << Metrics(url);
  EXPECT_THAT(Metrics(url), HasSubstr("apiserver_request_total"));
  EXPECT_EQ(up.End(SIGTERM), 0);
}

TEST(Up, HasNoMetricsOfASchedulerThatItDoesNotRun) {
  const TemporaryDirectory files;
  RunningProcess up({BERTH_BINARY, "up", "--port", "0", "--scheduler", "none", "--kubeconfig",
                     files.path("kubeconfig")});
  EXPECT_THAT(Metrics(up.WaitForLine("listening on ")), Not(HasSubstr("scheduler_")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
