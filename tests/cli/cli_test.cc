// The berth program end to end: its output and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth_process_testing.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: big}
status: {capacity: {cpu: 8, memory: 16Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: small}
status: {capacity: {cpu: 2, memory: 4Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: tainted}
spec: {taints: [{key: gpu, effect: NoSchedule}]}
status: {capacity: {cpu: 8, memory: 16Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: old, namespace: kube-system}
spec:
  nodeName: big
  containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]
)";

constexpr const char* kPods = R"(
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: c, image: i, resources: {limits: {cpu: 1, memory: 1Gi}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: huge}
spec:
  containers: [{name: c, image: i, resources: {requests: {cpu: 64}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: gated, namespace: team}
spec:
  schedulingGates: [{name: example.com/a}, {name: example.com/b}]
  containers: [{name: c, image: i}]
---
apiVersion: v1
kind: Pod
metadata: {name: other}
spec:
  schedulerName: mine
  containers: [{name: c, image: i}]
)";

constexpr const char* kWebPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: c, image: i, resources: {limits: {cpu: 1, memory: 1Gi}}}]
)";

// Only the plugins that the expectations below are about.
constexpr const char* kFewPlugins = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled: [{name: "*"}]
      enabled:
      - {name: SchedulingGates}
      - {name: PrioritySort}
      - {name: TaintToleration}
      - {name: NodeResourcesFit}
      - {name: DefaultBinder}
)";

class ScheduleTest : public ::testing::Test {
 protected:
  ProcessResult Schedule(const std::string& pods, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{
        "schedule",   "-f",       files_.Write("cluster.yaml", kCluster),  "-f", "-",
        "--paranoid", "--config", files_.Write("config.yaml", kFewPlugins)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunBerth(arguments, pods);
  }

  TemporaryDirectory files_;
};

TEST_F(ScheduleTest, PrintsATable) {
  const ProcessResult ended = Schedule(kPods);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(
      ended.out,
      "POD            STATUS         NODE  MESSAGE\n"
      "default/web    Scheduled      big\n"
      "default/huge   Unschedulable  -     0/3 nodes are available: 1 node(s) had untolerated "
      "taint(s), 2 Insufficient cpu.\n"
      "team/gated     Gated          -     waiting for scheduling gates: [example.com/a "
      "example.com/b]\n"
      "default/other  NotOurs        -     schedulerName is \"mine\"\n"
      "\n"
      "1 of 4 pods scheduled, 1 unschedulable, 1 gated, 1 with another schedulerName; 3 nodes, 1 "
      "pod already bound\n");
}

TEST_F(ScheduleTest, ExplainsOnePod) {
  const ProcessResult ended = Schedule(kPods, {"--explain", "--pod", "web"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "POD          STATUS     NODE  MESSAGE\n"
            "default/web  Scheduled  big\n"
            "\n"
            "default/web -> big\n"
            "  2 of 3 nodes fit\n"
            "    NODES  REJECTED BY      REASON                            NAMES\n"
            "        1  TaintToleration  node(s) had untolerated taint(s)  tainted\n"
            "           the pod does not tolerate gpu:NoSchedule\n"
            "    NODE   TOTAL  NodeResourcesFit\n"
            "  * big      181                81\n"
            "    small    162                62\n"
            "    equal score on all nodes: TaintToleration 100\n"
            "    big scores 181, 19 more than small, the next best: NodeResourcesFit +19\n"
            "\n"
            "1 of 1 pods scheduled; 3 nodes, 1 pod already bound\n");
}

TEST_F(ScheduleTest, ExplainsAPodThatFitsNowhere) {
  const ProcessResult ended = Schedule(kPods, {"--explain", "--pod", "default/huge"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(
      ended.out,
      HasSubstr("default/huge: Unschedulable\n"
                "  0 of 3 nodes fit\n"
                "    NODES  REJECTED BY       REASON                            NAMES\n"
                "        2  NodeResourcesFit  Insufficient cpu                  big, small\n"
                "           big: the pod requests 64 cpu, more than the node has: 8\n"
                "           small: the pod requests 64 cpu, more than the node has: 2\n"
                "        1  TaintToleration   node(s) had untolerated taint(s)  tainted\n"
                "           the pod does not tolerate gpu:NoSchedule\n"));
}

TEST_F(ScheduleTest, PrintsJson) {
  const ProcessResult ended = Schedule(kWebPod, {"-o", "json", "--explain"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, R"json({
  "kind": "ScheduleReport",
  "summary": {
    "nodes": 3,
    "running": 1,
    "scheduled": 1,
    "unschedulable": 0,
    "failed": 0,
    "gated": 0,
    "notOurs": 0,
    "terminating": 0,
    "preempted": 0,
    "pending": 0
  },
  "pods": [
    {
      "namespace": "default",
      "name": "web",
      "status": "Scheduled",
      "node": "big",
      "explanation": {
        "nodes": 3,
        "feasibleNodes": 2,
        "rejected": [
          {
            "nodes": 1,
            "plugin": "TaintToleration",
            "code": "UnschedulableAndUnresolvable",
            "reasons": [
              "node(s) had untolerated taint(s)"
            ],
            "examples": [
              "tainted"
            ],
            "details": [
              {
                "text": "the pod does not tolerate gpu:NoSchedule",
                "nodes": 1,
                "examples": [
                  "tainted"
                ]
              }
            ]
          }
        ],
        "scores": [
          {
            "node": "big",
            "total": 181,
            "chosen": true,
            "plugins": {
              "NodeResourcesFit": 81,
              "TaintToleration": 100
            }
          },
          {
            "node": "small",
            "total": 162,
            "chosen": false,
            "plugins": {
              "NodeResourcesFit": 62,
              "TaintToleration": 100
            }
          }
        ],
        "why": "scores 181, 19 more than small, the next best: NodeResourcesFit +19"
      }
    }
  ],
  "evicted": []
}
)json");
}

TEST_F(ScheduleTest, PrintsYaml) {
  const ProcessResult ended = Schedule(kWebPod, {"-o", "yaml"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out,
            "evicted: []\n"
            "kind: ScheduleReport\n"
            "pods:\n"
            "- name: web\n"
            "  namespace: default\n"
            "  node: big\n"
            "  status: Scheduled\n"
            "summary:\n"
            "  failed: 0\n"
            "  gated: 0\n"
            "  nodes: 3\n"
            "  notOurs: 0\n"
            "  pending: 0\n"
            "  preempted: 0\n"
            "  running: 1\n"
            "  scheduled: 1\n"
            "  terminating: 0\n"
            "  unschedulable: 0\n");
}

TEST_F(ScheduleTest, ExitCodeReportsPendingPodsWithTheFlag) {
  EXPECT_EQ(Schedule(kWebPod, {"--fail-on-unschedulable"}).code, 0);
  EXPECT_EQ(Schedule(kPods, {"--fail-on-unschedulable"}).code, 3);
  // All pods count, not only those shown.
  EXPECT_EQ(Schedule(kPods, {"--fail-on-unschedulable", "--pod", "web"}).code, 3);
}

TEST_F(ScheduleTest, PodsAreScheduledByPriorityThenInOrder) {
  // Only one pod of 6 cpus fits.
  const std::string spec = "containers: [{name: c, image: i, resources: {requests: {cpu: 6}}}]}}";
  const std::string pods =
      "{apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {" + spec + "\n---\n" +
      "{apiVersion: v1, kind: Pod, metadata: {name: urgent}, spec: {priority: 5, " + spec + "\n";
  const ProcessResult ended = Schedule("", {"-f", files_.Write("pods.yaml", pods)});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("default/first   Unschedulable  -"));
  EXPECT_THAT(ended.out, HasSubstr("default/urgent  Scheduled      big"));
}

TEST_F(ScheduleTest, RunsRepeat) {
  std::string pods;
  for (int i = 0; i < 40; ++i) {
    pods +=
        "{apiVersion: v1, kind: Pod, metadata: {name: p" + std::to_string(i) +
        "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}}\n---\n";
  }
  const ProcessResult once = Schedule(pods, {"--seed", "7"});
  const ProcessResult twice = Schedule(pods, {"--seed", "7"});
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(once.out, twice.out);
}

TEST_F(ScheduleTest, ReadsADirectoryByName) {
  const TemporaryDirectory directory;
  directory.Write("a.yaml", kCluster);
  directory.Write("b.yml", kWebPod);
  directory.Write("c.json",
                  R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "j"}, "spec": {}})");
  directory.Write("notes.txt", "not: [an object");
  const ProcessResult ended = RunBerth({"schedule", "-f", directory.path("")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("2 of 2 pods scheduled"));
}

constexpr const char* kRightRow =
    R"({"name": "tiny/0000", "config": null, "objects": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "2", "memory": "4Gi", "pods": "10"}}}], "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {"schedulerName": "default-scheduler", "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}}]}}, "expect": {"preFilter": {"code": "Success", "nodeNames": null}, "filter": {"a": {"code": "Success"}}, "scores": null, "bestNodes": ["a"], "fitError": null, "preemption": null}})"
    "\n";

// The same, with a wrong expectation.
std::string WrongRow() {
  std::string row = kRightRow;
  row.replace(row.find("0000"), 4, "0001");
  const std::string right = R"({"a": {"code": "Success"}})";
  row.replace(row.find(right), right.size(),
              R"({"a": {"code": "Unschedulable", "plugin": "NodePorts", "reasons": ["no"]}})");
  return row;
}

TEST(ConformanceTest, AllPassed) {
  const TemporaryDirectory files;
  const ProcessResult ended =
      RunBerth({"conformance", "--paranoid", files.Write("t.jsonl", kRightRow)});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "tiny      1 passed      0 failed\n1 passed, 0 failed\n");
}

TEST(ConformanceTest, ReportsDifferences) {
  const TemporaryDirectory files;
  const ProcessResult ended =
      RunBerth({"conformance", files.Write("t.jsonl", kRightRow + WrongRow())});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out,
            "tiny      1 passed      1 failed\n"
            "    tiny/0001  filter a  expected Unschedulable by NodePorts: no  actual Success\n"
            "1 passed, 1 failed\n");
}

TEST(ConformanceTest, TheDecisionItselfIsComparedToo) {
  std::string row = kRightRow;
  const std::string right = R"("bestNodes": ["a"])";
  row.replace(row.find(right), right.size(), R"("bestNodes": ["b"])");
  const TemporaryDirectory files;
  const ProcessResult ended = RunBerth({"conformance", files.Write("t.jsonl", row)});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out,
            "tiny      0 passed      1 failed\n"
            "    tiny/0000  bestNodes  expected b         actual a\n"
            "    tiny/0000  decision   expected one of b  actual a\n"
            "0 passed, 1 failed\n");
}

TEST(ConformanceTest, RunsTheRequestedGroups) {
  const TemporaryDirectory files;
  const std::string tiny = files.Write("t.jsonl", WrongRow());
  const std::string quantities = files.Write(
      "q.jsonl",
      R"({"s": "1k", "ok": true, "canonical": "1k", "sign": 1, "value": 1000, "milli": 1000000})");
  const ProcessResult ended = RunBerth({"conformance", "--group", "quantities", tiny, quantities});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "quantities      1 passed      0 failed\n1 passed, 0 failed\n");
}

TEST(HelpTest, ListsTheCommands) {
  const ProcessResult help = RunBerth({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_EQ(
      help.out,
      "Berth is a drop-in replacement for kube-scheduler v1.36 that explains every "
      "decision.\n"
      "\n"
      "Usage:\n"
      "  berth [command]\n"
      "\n"
      "Available Commands:\n"
      "  apiserver     Run the embedded Kubernetes API server, without nodes or scheduler\n"
      "  bench         Measure the scheduler with kube-scheduler's benchmark or a synthetic world\n"
      "  check         Check that berth-scheduler can run on a cluster\n"
      "  completion    Print the script that completes commands in a shell\n"
      "  config        Validate or print a KubeSchedulerConfiguration file\n"
      "  conformance   Compare Berth's decisions with results recorded from kube-scheduler\n"
      "  dashboard     Show a cluster in the browser: nodes, queue and every pod's reasons\n"
      "  replay        Replay a recording and compare the decisions\n"
      "  schedule      Schedule the pending pods of a cluster described in YAML and explain "
      "the result\n"
      "  simtest       Run the scheduler in simulated clusters with injected faults and check "
      "invariants\n"
      "  up            Run a local cluster: API server, scheduler, controllers and fake "
      "kubelets\n"
      "  version       Print the version, and the Kubernetes versions that it serves\n"
      "  why           Explain why a pod is pending or where it is, and what would change it\n"
      "\n"
      "Flags:\n"
      "  -h, --help      Print this help and exit\n"
      "      --version   Print the version and exit\n"
      "\n"
      "Use \"berth [command] --help\" for more information about a command.\n");
  EXPECT_EQ(RunBerth({"help"}).out, help.out);
}

// The flags of a command and their defaults, in the order of the help.
struct HelpCase {
  std::vector<std::string> command;
  const char* usage;
  std::vector<std::string> flags;
};

const HelpCase kHelp[] = {
    {{"apiserver"},
     "berth apiserver [flags]",
     {"--address ADDRESS", "(default 127.0.0.1)", "--client-ca-file FILE", "--data-dir DIR",
      "-h, --help", "--history N", "(default 50000)", "--insecure-allow-anonymous",
      "--kubeconfig FILE", "--port N", "(default 6443)", "--threads N", "(default 2)", "--tls ",
      "--tls-cert-file FILE", "--tls-private-key-file FILE", "--token-auth-file FILE"}},
    {{"check"},
     "berth check [flags]",
     {"--config FILE", "--context NAME", "-h, --help", "--kubeconfig FILE"}},
    {{"config", "show"}, "berth config show [FILE] [flags]", {"-h, --help"}},
    {{"config", "validate"}, "berth config validate FILE [flags]", {"-h, --help"}},
    {{"conformance"},
     "berth conformance FILE... [flags]",
     {"-n, --first N", "(default 3)", "-g, --group NAME", "-h, --help", "--paranoid",
      "--scores-of PLUGIN,..."}},
    {{"dashboard"},
     "berth dashboard [flags]",
     {"--config FILE", "--context NAME", "--feature-gates", "-h, --help", "--kubeconfig FILE",
      "--port N"}},
    {{"replay"},
     "berth replay FILE [flags]",
     {"--attempts NAMESPACE/NAME", "-h, --help", "--paranoid", "--print"}},
    {{"schedule"},
     "berth schedule [flags]",
     {"--config FILE", "--context NAME", "-e, --explain", "--fail-on-unschedulable",
      "-f, --filename FILE", "-h, --help", "--kubeconfig FILE", "-o, --output FORMAT",
      "(default table)", "--paranoid", "-p, --pod POD", "--record FILE", "--seed N",
      "--validate MODE", "(default strict)"}},
    {{"simtest"},
     "berth simtest [flags]",
     {"-h, --help", "--paranoid", "--seed-file FILE", "--seeds A..B", "--steps N", "(default 200)",
      "--trace"}},
    {{"up"},
     "berth up [flags]",
     {"\nFlags:\n",
      "--config FILE",
      "--dashboard",
      "--dashboard-port N",
      "--demo",
      "-f, --filename FILE",
      "--gpus N",
      "-h, --help",
      "--ledger-attempts N",
      "(default 1000000)",
      "--ledger-memory BYTES",
      "(default 512Mi)",
      "--no-controllers",
      "--no-kubelets",
      "--no-leases",
      "--nodes N",
      "--nodes-from FILE",
      "--scheduler MODE",
      "(default embedded)",
      "--seed N",
      "--speed X",
      "(default 1)",
      "--stages FILE",
      "\nAPI server flags:\n",
      "--address ADDRESS",
      "--token-auth-file FILE"}},
    {{"why"},
     "berth why [POD] [flags]",
     {"--all-pending", "--config FILE", "--context NAME", "-f, --filename FILE", "--fix N",
      "--fixes", "-h, --help", "--kubeconfig FILE", "-n, --namespace NAME", "--on NODE",
      "-o, --output FORMAT", "(default text)", "--scheduler-address URL",
      "--scheduler-ca-file FILE", "--scheduler-tls-server-name NAME"}},
};

TEST(HelpTest, OfACommandHasUsageExitCodesExamplesAndFlags) {
  for (const HelpCase& c : kHelp) {
    std::vector<std::string> arguments = c.command;
    arguments.emplace_back("-h");
    const ProcessResult help = RunBerth(arguments);
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("\nExit codes: 0 "));
    EXPECT_THAT(help.out, HasSubstr("\nUsage:\n  " + std::string(c.usage) + "\n"));
    EXPECT_THAT(help.out, HasSubstr("\nExamples:\n  berth "));
    size_t at = help.out.find("\nFlags:\n");
    for (const std::string& flag : c.flags) {
      at = help.out.find(flag, at);
      ASSERT_NE(at, std::string::npos) << c.usage << ": " << flag;
    }
  }
}

TEST(ExamplesTest, AreScheduled) {
  const ProcessResult ended =
      RunBerth({"schedule", "--paranoid", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
                BERTH_SOURCE_DIR "/examples/pods.yaml"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("research/training    Scheduled      c-gpu-1\n"));
  EXPECT_THAT(ended.out, HasSubstr("9 of 13 pods scheduled, 2 unschedulable, 1 gated"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
