// Workloads from their files to their measurements, with all operations.
#include "benchmark/perf_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmark/bench_testing.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const TestFiles kFiles = {
    {"dir/node.yaml",
     "apiVersion: v1\nkind: Node\nmetadata: {name: 'node-{{.Index}}'}\n"
     "status:\n  capacity: {pods: '110', cpu: '4', memory: 32Gi}\n"
     "  conditions: [{type: Ready, status: 'True'}]\n"},
    {"dir/pod.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: pod-, labels: {app: a}}\n"
     "spec:\n  terminationGracePeriodSeconds: 0\n"
     "  containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]\n"},
    {"dir/huge.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: 'huge-{{.Index}}'}\n"
     "spec:\n  containers: [{name: c, image: i, resources: {requests: {cpu: "
     "'64'}}}]\n"},
    {"dir/high.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: high-}\n"
     "spec:\n  priority: 10\n"
     "  containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]\n"},
    {"dir/gated.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: 'gated-{{.Index}}'}\nspec:\n"
     "  schedulingGates: [{name: g}]\n  containers: [{name: c, image: i}]\n"},
    {"dir/open.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: 'gated-{{.Index}}'}\nspec:\n"
     "  containers: [{name: c, image: i}]\n"},
    {"dir/pv.yaml",
     "apiVersion: v1\nkind: PersistentVolume\nspec:\n  accessModes: [ReadOnlyMany]\n"
     "  capacity: {storage: 1Gi}\n  csi: {driver: disk}\n"
     "  persistentVolumeReclaimPolicy: Retain\n"},
    {"dir/pvc.yaml",
     "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  annotations:\n"
     "    pv.kubernetes.io/bind-completed: 'true'\nspec:\n"
     "  accessModes: [ReadOnlyMany]\n  resources: {requests: {storage: 1Gi}}\n"},
    {"dir/class.yaml",
     "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: class}\n"
     "spec:\n  selectors: [{cel: {expression: \"device.driver == 'driver'\"}}]\n"},
    {"dir/claim.yaml",
     "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
     "metadata: {name: 'claim-{{.Index}}'}\nspec:\n  devices:\n    requests:\n"
     "    - {name: r, exactly: {deviceClassName: class}}\n"},
    {"dir/claimtemplate.yaml",
     "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: template}\n"
     "spec:\n  spec:\n    devices:\n      requests:\n"
     "      - {name: r, exactly: {deviceClassName: class}}\n"},
    {"dir/claimpod.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: pod-}\nspec:\n"
     "  containers: [{name: c, image: i}]\n  resourceClaims:\n"
     "  - {name: r, resourceClaimTemplateName: template}\n"},
    {"dir/group.yaml", "apiVersion: scheduling.k8s.io/v9\nkind: PodGroup\nmetadata: {name: g}\n"},
    {"dir/gang.yaml",
     "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: 'gang-{{.Index}}'}\n"
     "spec: {schedulingPolicy: {gang: {minCount: {{.size}}}}}\n"},
    {"dir/member.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: 'member-{{.Index}}'}\nspec:\n"
     "  schedulingGroup: {podGroupName: 'gang-{{DivideInt .Index .size}}'}\n"
     "  containers: [{name: c, image: i}]\n"},
    {"dir/unknown.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"},
    {"shared.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {generateName: pod-}\n"
     "spec: {containers: [{name: c, image: i}]}\n"},
};

// Runs the operations, YAML list items, as a workload of a test case with these feature gates.
WorkloadReport RunOperations(const std::string& operations, Mode mode = Mode::kEngine,
                             const std::string& gates = "{}") {
  const std::string text = "- name: Test\n  featureGates: " + gates + "\n  workloadTemplate:\n" +
                           operations + "  workloads: [{name: Small}]\n";
  const auto workloads = DecodePerfConfig("dir/config.yaml", text);
  if (!workloads) return {.error = workloads.error().message};
  PerfRunOptions options{.file = "dir/config.yaml", .mode = mode, .configure = ConfigureForTest};
  return RunPerfWorkload(workloads->front(), options, scheduler::plugins::InTreeRegistry(),
                         EnvironmentOf(kFiles));
}

// Expects a workload with one measurement of so many pods.
void ExpectPods(const WorkloadReport& report, uint64_t pods) {
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.skipped, "");
  ASSERT_EQ(report.measurements.size(), 1U);
  EXPECT_EQ(report.measurements.front().pods, pods);
  if (pods > 0) {
    EXPECT_GT(report.measurements.front().rates.average, 0);
  }
}

constexpr const char* kNodes = "  - {opcode: createNodes, count: 3, nodeTemplatePath: node.yaml}\n";
constexpr const char* kDra = "{DynamicResourceAllocation: true}";

constexpr const char* kModeNames[] = {"engine", "store", "http"};

class PerfRunModes : public testing::TestWithParam<Mode> {};
INSTANTIATE_TEST_SUITE_P(All, PerfRunModes,
                         testing::Values(Mode::kEngine, Mode::kStore, Mode::kHttp),
                         [](const auto& test) -> std::string {
                           return kModeNames[static_cast<size_t>(test.param)];
                         });

TEST_P(PerfRunModes, SchedulesPodsAndMeasuresTheLast) {
  const WorkloadReport report =
      RunOperations(std::string("  - {opcode: createNodes, count: 4}\n") +
                        "  - {opcode: createPods, count: 5}\n"
                        "  - {opcode: createPods, count: 7, collectMetrics: true}\n",
                    GetParam());
  ExpectPods(report, 7);
  EXPECT_EQ(report.measurements.front().name, "Test/Small/namespace-2");
  // A driver publishes its counters a little later than its writes: some attempts may be missing,
  // and some of the pods before may count.
  EXPECT_LE(report.measurements.front().attempts.value_or(99), 12U);
  EXPECT_EQ(report.measurements.front().loading.has_value(), GetParam() == Mode::kEngine);
}

TEST_P(PerfRunModes, WaitsForAttemptsAndDeletesPods) {
  ExpectPods(
      RunOperations(
          std::string(kNodes) +
              "  - {opcode: createPods, count: 12, podTemplatePath: pod.yaml, namespace: a}\n"
              "  - {opcode: startCollectingMetrics, name: late, namespaces: [b]}\n"
              "  - {opcode: createPods, count: 6, podTemplatePath: pod.yaml, namespace: b,\n"
              "     skipWaitToCompletion: true}\n"
              "  - {opcode: barrier, stageRequirement: Attempted, namespaces: [b]}\n"
              "  - {opcode: deletePods, namespace: a, deletePodsPerSecond: 1000,\n"
              "     labelSelector: {app: a}, skipWaitToCompletion: true}\n"
              "  - {opcode: barrier}\n"
              "  - {opcode: stopCollectingMetrics}\n",
          GetParam()),
      6);
}

TEST_P(PerfRunModes, MakesClaimsOfPods) {
  ExpectPods(
      RunOperations(
          std::string(kNodes) +
              "  - {opcode: createResourceDriver, driverName: driver, nodes: node-*,\n"
              "     maxClaimsPerNode: 4}\n"
              "  - {opcode: createAny, templatePath: class.yaml}\n"
              "  - {opcode: createAny, templatePath: claim.yaml, namespace: init, count: 6}\n"
              "  - {opcode: allocResourceClaims, namespace: init}\n"
              "  - {opcode: createAny, templatePath: claimtemplate.yaml, namespace: test}\n"
              "  - {opcode: createPods, namespace: test, count: 6, collectMetrics: true,\n"
              "     podTemplatePath: claimpod.yaml}\n",
          GetParam(), kDra),
      6);
}

TEST(RunPerfWorkload, MakesVolumesWithTheirLimits) {
  ExpectPods(
      RunOperations("  - opcode: createNodes\n    count: 2\n    nodeAllocatableStrategy:\n"
                    "      csiNodeAllocatable: {disk: {count: 3}}\n"
                    "  - {opcode: createPods, count: 6, persistentVolumeTemplatePath: pv.yaml,\n"
                    "     persistentVolumeClaimTemplatePath: pvc.yaml, collectMetrics: true}\n"),
      6);
  const WorkloadReport full = RunOperations(
      "  - opcode: createNodes\n    count: 2\n    nodeAllocatableStrategy:\n"
      "      csiNodeAllocatable: {disk: {count: 3}}\n"
      "  - {opcode: createPods, count: 7, persistentVolumeTemplatePath: pv.yaml,\n"
      "     persistentVolumeClaimTemplatePath: pvc.yaml, collectMetrics: true}\n");
  EXPECT_THAT(full.error, HasSubstr("operation 1: 6 of 7 pods in namespace namespace-1 were "
                                    "scheduled within 600 s; not namespace-1/pod-"));
}

TEST(RunPerfWorkload, PreparesNodesWithLabels) {
  const std::string two =
      "  - {opcode: createNodes, count: 4, labelNodePrepareStrategy:\n"
      "     {labelKey: topology.kubernetes.io/zone, labelValues: [a, b]}}\n"
      "  - {opcode: createNodes, count: 2, uniqueNodeLabelStrategy:\n"
      "     {labelKey: id}}\n";
  ExpectPods(RunOperations(two + "  - {opcode: createPods, count: 3, collectMetrics: true}\n"), 3);
}

TEST(RunPerfWorkload, ChurnsMeanwhile) {
  // The sleep lets the churn create a pod every 100 ms; every other turn deletes it.
  const WorkloadReport report =
      RunOperations(std::string(kNodes) +
                    "  - {opcode: createNamespaces, prefix: ns, count: 1}\n"
                    "  - {opcode: startCollectingMetrics, name: churn, namespaces: [ns-0]}\n"
                    "  - {opcode: churn, mode: recreate, number: 1, intervalMilliseconds: 100,\n"
                    "     namespace: ns-0, templatePaths: [pod.yaml]}\n"
                    "  - {opcode: sleep, duration: 950ms}\n"
                    "  - {opcode: stopCollectingMetrics}\n");
  ExpectPods(report, 5);
  const WorkloadReport limited =
      RunOperations(std::string(kNodes) +
                    "  - {opcode: startCollectingMetrics, name: churn, namespaces: [ns-0]}\n"
                    "  - {opcode: churn, mode: create, number: 3, intervalMilliseconds: 100,\n"
                    "     namespace: ns-0, templatePaths: [pod.yaml]}\n"
                    "  - {opcode: sleep, duration: 2s}\n"
                    "  - {opcode: stopCollectingMetrics}\n");
  ExpectPods(limited, 3);
}

TEST(RunPerfWorkload, EvictsPodsOfLowerPriority) {
  ExpectPods(RunOperations(std::string(kNodes) +
                           "  - {opcode: createPods, count: 12, podTemplatePath: pod.yaml}\n"
                           "  - {opcode: createPods, count: 2, podTemplatePath: high.yaml,\n"
                           "     collectMetrics: true}\n"),
             2);
}

TEST(RunPerfWorkload, UpdatesObjects) {
  ExpectPods(RunOperations(
                 std::string(kNodes) +
                 "  - {opcode: startCollectingMetrics, name: late, namespaces: [a]}\n"
                 "  - {opcode: createPods, count: 4, podTemplatePath: gated.yaml, namespace: a,\n"
                 "     skipWaitToCompletion: true}\n"
                 "  - {opcode: updateAny, count: 4, templatePath: open.yaml, namespace: a,\n"
                 "     updatePerSecond: 10}\n"
                 "  - {opcode: barrier, namespaces: [a]}\n"
                 "  - {opcode: stopCollectingMetrics}\n"),
             4);
}

TEST(RunPerfWorkload, KeepsASteadyState) {
  const WorkloadReport report =
      RunOperations(std::string(kNodes) +
                    "  - {opcode: createPods, count: 4, steadyState: true, duration: 1ms,\n"
                    "     podTemplatePath: pod.yaml, collectMetrics: true}\n");
  EXPECT_EQ(report.error, "");
  ASSERT_EQ(report.measurements.size(), 1U);
  // More than the cluster has room for at a time.
  EXPECT_GT(report.measurements.front().pods, 12U);
}

TEST(RunPerfWorkload, CreatesSetsAndClaims) {
  ExpectPods(RunOperations(
                 std::string(kNodes) +
                 "  - {opcode: createNamespaces, prefix: set, count: 2}\n"
                 "  - {opcode: createPodSets, count: 2, namespacePrefix: set,\n"
                 "     createPodsOp: {opcode: createPods, count: 2}}\n"
                 "  - {opcode: createResourceClaims, count: 1, namespace: c,\n"
                 "     templatePath: claim.yaml}\n"
                 "  - {opcode: createPods, count: 1, collectMetrics: true, signatureBatchSize: 1,\n"
                 "     podTemplatePath: pod.yaml}\n"),
             1);
}

TEST(RunPerfWorkload, SchedulesGangs) {
  for (const Mode mode : {Mode::kEngine, Mode::kStore, Mode::kHttp}) {
    const WorkloadReport report = RunOperations(
        std::string(kNodes) +
            "  - {opcode: createNamespaces, prefix: gangs, count: 1}\n"
            "  - {opcode: createPodGroups, namespace: gangs-0, templatePath: gang.yaml, count: 2,\n"
            "     templateParams: {size: 2}}\n"
            "  - {opcode: createPods, namespace: gangs-0, podTemplatePath: member.yaml, count: 4,\n"
            "     templateParams: {size: 2}, collectMetrics: true}\n",
        mode, "{GenericWorkload: true}");
    ExpectPods(report, 4);
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_THAT(report.notes.front(), HasSubstr("runs with GangScheduling=true"));
  }
}

TEST(RunPerfWorkload, FindsTemplatesInTheFoldersAbove) {
  ExpectPods(RunOperations(std::string(kNodes) +
                           "  - {opcode: createPods, count: 1, collectMetrics: true,\n"
                           "     podTemplatePath: shared.yaml}\n"),
             1);
  EXPECT_THAT(RunOperations("  - {opcode: createPods, count: 1, collectMetrics: true,\n"
                            "     podTemplatePath: ../templates/none.yaml}\n")
                  .error,
              HasSubstr("operation 0: templates/none.yaml: No such file or directory"));
}

TEST(RunPerfWorkload, SkipsWhatBerthDoesNotHave) {
  const std::string pods = "  - {opcode: createPods, count: 1, collectMetrics: true}\n";
  EXPECT_THAT(RunOperations(pods, Mode::kEngine, "{DRADeviceTaintRules: true}").skipped,
              HasSubstr("DRADeviceTaintRules cannot be switched on"));
  EXPECT_THAT(RunOperations(pods, Mode::kEngine, "{Imagined: true}").skipped,
              HasSubstr("unrecognized feature gate: Imagined"));
  EXPECT_THAT(
      RunOperations(
          "  - {opcode: createPodGroups, namespace: a, templatePath: group.yaml, count: 1}\n" +
          pods)
          .skipped,
      HasSubstr("group.yaml: the embedded API server does not serve "));
  const WorkloadReport unknown =
      RunOperations("  - {opcode: createAny, templatePath: unknown.yaml}\n" + pods);
  EXPECT_THAT(unknown.skipped, HasSubstr("unknown.yaml: the embedded API server does not serve "
                                         "example.com/v1, kind Thing"));
  EXPECT_EQ(unknown.error, "");
}

TEST(RunPerfWorkload, RunsWithoutGatesThatAreLocked) {
  const WorkloadReport report = RunOperations(
      std::string(kNodes) + "  - {opcode: createPods, count: 1, collectMetrics: true}\n",
      Mode::kEngine, "{SchedulerQueueingHints: false, OpportunisticBatching: false}");
  ExpectPods(report, 1);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_THAT(report.notes.front(), HasSubstr("runs without SchedulerQueueingHints=false"));
}

TEST(RunPerfWorkload, NamesTheOperationThatFails) {
  const std::string pods = "  - {opcode: createPods, count: 1, collectMetrics: true}\n";
  EXPECT_THAT(
      RunOperations("  - {opcode: createAny, templatePath: class.yaml, namespace: a}\n" + pods)
          .error,
      HasSubstr("operation 0: class.yaml: DeviceClass is cluster-scoped; remove its "
                "namespace"));
  EXPECT_THAT(RunOperations("  - {opcode: barrier, namespaces: [a]}\n" + pods).error,
              HasSubstr("operation 0: unknown namespace a"));
  EXPECT_THAT(RunOperations("  - {opcode: stopCollectingMetrics}\n" + pods).error,
              HasSubstr("metrics are not collected"));
  EXPECT_THAT(RunOperations("  - {opcode: createAny, templatePath: class.yaml}\n"
                            "  - {opcode: createAny, templatePath: claim.yaml, namespace: a}\n"
                            "  - {opcode: allocResourceClaims}\n" +
                            pods)
                  .error,
              HasSubstr("operation 2: there are no nodes to allocate claims on"));
}

TEST(RunPerfWorkload, EndsWithWhatItHasWhenInterrupted) {
  const std::string text = "- name: Test\n  workloadTemplate:\n" + std::string(kNodes) +
                           "  - {opcode: createPods, count: 2, podTemplatePath: huge.yaml,\n"
                           "     collectMetrics: true}\n"
                           "  - {opcode: sleep, duration: 1h}\n"
                           "  workloads: [{name: Small}]\n";
  const auto workloads = DecodePerfConfig("dir/config.yaml", text);
  ASSERT_TRUE(workloads) << workloads.error().message;
  Environment environment = EnvironmentOf(kFiles);
  int looks = 0;
  environment.interrupted = [&looks] { return ++looks > 5; };
  const PerfRunOptions options{.file = "dir/config.yaml", .configure = ConfigureForTest};
  const WorkloadReport report = RunPerfWorkload(workloads->front(), options,
                                                scheduler::plugins::InTreeRegistry(), environment);
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.error, "");
  ASSERT_EQ(report.measurements.size(), 1U);
  EXPECT_TRUE(report.measurements.front().interrupted);
  EXPECT_EQ(report.measurements.front().pods, 0U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
