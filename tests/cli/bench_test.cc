// berth bench end to end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/await.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kConfig = R"(
- name: Basic
  defaultPodTemplatePath: templates/pod.yaml
  workloadTemplate:
  - {opcode: createNodes, countParam: $nodes}
  - {opcode: createPods, countParam: $pods}
  - {opcode: createPods, countParam: $pods, collectMetrics: true}
  workloads:
  - name: Small
    labels: [short]
    threshold: 5
    params: {nodes: 5, pods: 10}
  - name: Large
    labels: [performance]
    params: {nodes: 5000, pods: 10000}
)";
constexpr const char* kPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {generateName: pod-}\n"
    "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}\n";

class BenchTest : public testing::Test {
 protected:
  BenchTest() { files_.Write("templates/pod.yaml", kPod); }

  TemporaryDirectory files_;
  const std::string config_ = files_.Write("config.yaml", kConfig);
};

TEST_F(BenchTest, RunsAWorkloadInEachMode) {
  for (const std::string mode : {"engine", "store", "http"}) {
    const std::string json = files_.path(mode + ".json");
    const ProcessResult ended = RunBerth(
        {"bench", "--perf-config", config_, "--labels", "short", "--mode", mode, "--json", json});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_EQ(ended.err, "");
    EXPECT_THAT(ended.out, StartsWith("WORKLOAD "));
    EXPECT_THAT(ended.out, HasSubstr("\nBasic/Small/namespace-2    10  "));
    EXPECT_THAT(ended.out, Not(HasSubstr("Large")));
    const std::string items = files_.Read(mode + ".json");
    EXPECT_THAT(items, StartsWith("{\n  \"version\": \"v1\",\n  \"dataItems\": [\n"));
    EXPECT_THAT(items, HasSubstr("\"Metric\": \"SchedulingThroughput\""));
    EXPECT_THAT(items, HasSubstr("\"AverageThreshold\": 5"));
    EXPECT_THAT(items, HasSubstr("\"Name\": \"BenchmarkPerfScheduling/Basic/Small/namespace-2\""));
  }
}

TEST_F(BenchTest, ComparesWithAnotherScheduler) {
  const ProcessResult ended = RunBerth(
      {"bench", "--perf-config", config_, "--select", "Basic/Small", "--mode", "http", "--peer",
       std::string(BERTH_SCHEDULER_BINARY) +
           " --kubeconfig {kubeconfig} --secure-port 0 --leader-elect=false"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("RATIO"));
  EXPECT_THAT(ended.out, HasSubstr("\n  peer "));
  EXPECT_THAT(ended.err, HasSubstr("berth bench: warning: the peer sends at most 50 requests per "
                                   "second, so that the ratio is that of the limit: add "
                                   "--kube-api-qps=5000 --kube-api-burst=5000 to --peer\n"));
}

TEST_F(BenchTest, ShowsWhatAPeerSaidThatEnds) {
  const ProcessResult ended =
      RunBerth({"bench", "--perf-config", config_, "--select", "Basic/Small", "--mode", "http",
                "--peer", "echo no such cluster; exit 3"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("Basic/Small/namespace-2"));
  EXPECT_THAT(ended.err, HasSubstr("berth bench: Basic/Small: peer: the peer has ended; it said:\n"
                                   "no such cluster\n"));
}

TEST_F(BenchTest, ListsWorkloads) {
  const ProcessResult ended = RunBerth({"bench", "--perf-config", config_, "--list"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "Basic/Small [short]\nBasic/Large [performance]\n");
}

TEST_F(BenchTest, SchedulesASyntheticWorld) {
  const ProcessResult ended = RunBerth({"bench", "--nodes", "50", "--pods", "100", "--classes",
                                        "each", "--mix", "mixed", "--zones", "5"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nmixed/50nodes_100pods_eachclasses   100  "));
}

TEST_F(BenchTest, ReportsInvalidUsage) {
  const std::string broken = files_.Write("broken.yaml",
                                          "- {name: A, workloadTemplate: [{opcode: "
                                          "dance}], workloads: [{name: B}]}\n");
  struct Case {
    std::vector<std::string> arguments;
    std::string error;
  };
  const std::vector<Case> cases = {
      {{"--mode", "store"}, "berth bench: --mode requires --perf-config\n"},
      {{"--perf-config", config_, "--nodes", "5"},
       "berth bench: --nodes cannot be used with --perf-config\n"},
      {{"--perf-config", config_, "--peer", "x"}, "berth bench: --peer requires --mode=http\n"},
      {{"--perf-config", config_, "--mode", "fast"}, "--mode"},
      {{"--perf-config", config_, "--select", "("}, "berth bench: --select (: missing )"},
      {{"--perf-config", config_, "--select", "None"}, "no workload matches --select and --labels"},
      {{"--perf-config", files_.path("none")},
       "--perf-config " + files_.path("none") + ": No such file or directory\n"},
      {{"--perf-config", broken},
       "broken.yaml: A/B: workloadTemplate[0]: opcode: unknown opcode "
       "\"dance\"\n"},
      {{"--nodes", "0"}, "--nodes"},
      {{"--nodes", "5", "--pods", "201"}, "berth bench: 201 pods do not fit on 5 nodes, 200 do\n"},
      {{"--mix", "wild"}, "--mix"},
      {{"--classes", "many"}, "must be a number, or each"},
  };
  for (const Case& wrong : cases) {
    std::vector<std::string> arguments = {"bench"};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const ProcessResult ended = RunBerth(arguments);
    EXPECT_EQ(ended.code, 2) << wrong.error;
    EXPECT_THAT(ended.err, HasSubstr(wrong.error));
  }
}

// The peer, which never schedules, says when it has started.
TEST_F(BenchTest, PrintsWhatItHasWhenInterrupted) {
  const std::string started = files_.path("started");
  RunningProcess bench({BERTH_BINARY, "bench", "--perf-config", config_, "--labels", "short",
                        "--mode", "http", "--peer", "touch " + started + "; exec sleep 100"});
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(started); }));
  bench.Send(SIGINT);
  EXPECT_THAT(bench.WaitForLine("Basic/Small/namespace-2"), HasSubstr(" 10 "));
  EXPECT_EQ(bench.Wait(), 130) << bench.err();
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
