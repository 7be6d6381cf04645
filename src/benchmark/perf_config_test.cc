#include "benchmark/perf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// A test case with these operations, and a workload with these params.
std::string Config(const std::string& operations, const std::string& params = "{}") {
  return "- name: Test\n  workloadTemplate:\n" + operations +
         "  - {opcode: createPods, count: 1, collectMetrics: true}\n"
         "  workloads:\n  - name: Small\n    params: " +
         params + "\n";
}

// The first operation of such a test case; fails the test if it cannot be decoded.
template <typename T>
T FirstOf(const std::string& operations, const std::string& params = "{}") {
  const auto workloads = DecodePerfConfig("a.yaml", Config(operations, params));
  if (!workloads) {
    ADD_FAILURE() << workloads.error().message;
    return {};
  }
  const T* operation = std::get_if<T>(&workloads->front().operations.front());
  EXPECT_NE(operation, nullptr);
  return operation == nullptr ? T{} : *operation;
}

std::string ErrorOf(const std::string& text) {
  const auto workloads = DecodePerfConfig("a.yaml", text);
  return workloads ? "" : workloads.error().message;
}

TEST(DecodePerfConfig, ReadsTestCasesAndWorkloads) {
  const auto workloads = DecodePerfConfig("a.yaml", R"(
- name: Basic
  labels: [all]
  featureGates: {A: true, B: false}
  schedulerConfigPath: scheduler.yaml
  defaultPodTemplatePath: pod.yaml
  metricsCollectorConfig: {metrics: {}}
  workloadTemplate:
  - opcode: createNodes
    countParam: $nodes
  - opcode: createPods
    countParam: $pods
    collectMetrics: true
  workloads:
  - name: Small
    labels: [short]
    featureGates: {B: true}
    threshold: 270
    params: {nodes: 5, pods: 10}
  - name: Large
    threshold: {topic: 30}
    thresholdMetricSelector: {name: attempts, dataBucket: Perc99, expectLower: true}
    params: {nodes: 5000, pods: 10000}
)");
  ASSERT_TRUE(workloads) << workloads.error().message;
  ASSERT_EQ(workloads->size(), 2U);
  const Workload& small = workloads->front();
  EXPECT_EQ(small.name, "Basic/Small");
  EXPECT_THAT(small.labels, ElementsAre("all", "short"));
  EXPECT_THAT(small.feature_gates, ElementsAre(Pair("A", true), Pair("B", true)));
  EXPECT_EQ(small.scheduler_config, "scheduler.yaml");
  EXPECT_EQ(small.threshold->value, 270);
  EXPECT_EQ(small.threshold->bucket, "Average");
  EXPECT_EQ(std::get<CreateNodes>(small.operations[0]).count, 5);
  EXPECT_EQ(std::get<CreatePods>(small.operations[1]).count, 10);
  EXPECT_EQ(std::get<CreatePods>(small.operations[1]).pod->path, "pod.yaml");
  const Workload& large = workloads->back();
  EXPECT_EQ(std::get<CreateNodes>(large.operations[0]).count, 5000);
  EXPECT_EQ(large.threshold->value, 30);
  EXPECT_EQ(large.threshold->metric, "attempts");
  EXPECT_TRUE(large.threshold->expect_lower);
}

TEST(DecodePerfConfig, ReadsNodeStrategies) {
  const auto label = FirstOf<CreateNodes>(
      "  - {opcode: createNodes, count: 2, nodeTemplatePath: node.yaml,\n"
      "     labelNodePrepareStrategy: {labelKey: zone, labelValues: [a, b]}}\n");
  EXPECT_EQ(label.node->path, "node.yaml");
  EXPECT_EQ(std::get<LabelNodeStrategy>(label.strategy).key, "zone");
  EXPECT_THAT(std::get<LabelNodeStrategy>(label.strategy).values, ElementsAre("a", "b"));
  const auto unique = FirstOf<CreateNodes>(
      "  - {opcode: createNodes, count: 2, uniqueNodeLabelStrategy: {labelKey: id}}\n");
  EXPECT_EQ(std::get<UniqueLabelStrategy>(unique.strategy).key, "id");
  const auto nodes = FirstOf<CreateNodes>(
      "  - {opcode: createNodes, count: 2, nodeAllocatableStrategy: {nodeAllocatable: {gpu: "
      "\"2\"},\n"
      "     csiNodeAllocatable: {disk: {count: 39}, tape: {}}, migratedPlugins: [old]}}\n");
  const auto& strategy = std::get<NodeAllocatableStrategy>(nodes.strategy);
  EXPECT_THAT(strategy.node_allocatable, ElementsAre(Pair("gpu", "2")));
  EXPECT_EQ(strategy.csi_drivers.at("disk"), 39);
  EXPECT_EQ(strategy.csi_drivers.at("tape"), std::nullopt);
  EXPECT_THAT(strategy.migrated_plugins, ElementsAre("old"));
}

TEST(DecodePerfConfig, ReadsPods) {
  const auto steady = FirstOf<CreatePods>(
      "  - {opcode: createPods, count: 10, steadyStateParam: $steady, durationParam: $time,\n"
      "     namespace: test, podTemplatePath: pod.yaml, templateParams: {size: $pods, mode: all,\n"
      "     other: $none|5}}\n",
      "{steady: true, time: 10s, pods: 3}");
  EXPECT_TRUE(steady.steady_state);
  EXPECT_EQ(steady.duration, Duration::Seconds(10));
  EXPECT_EQ(steady.namespace_, "test");
  EXPECT_THAT(steady.pod->values, ElementsAre(Pair("mode", TemplateValue("all")),
                                              Pair("other", TemplateValue(int64_t{5})),
                                              Pair("size", TemplateValue(int64_t{3}))));
  const auto volumes = FirstOf<CreatePods>(
      "  - {opcode: createPods, countParam: $groups, countMultiplierParam: $each,\n"
      "     skipWaitToCompletion: true, persistentVolumeTemplatePath: pv.yaml,\n"
      "     persistentVolumeClaimTemplatePath: pvc.yaml, signatureBatchSize: 5}\n",
      "{groups: 4, each: 25}");
  EXPECT_EQ(volumes.count, 100);
  EXPECT_TRUE(volumes.skip_wait);
  EXPECT_EQ(volumes.volume->path, "pv.yaml");
  EXPECT_EQ(volumes.volume_claim->path, "pvc.yaml");
  EXPECT_EQ(volumes.signature_batch, 5);
}

TEST(DecodePerfConfig, UnrollsSetsOfPods) {
  const auto workloads = DecodePerfConfig(
      "a.yaml", Config("  - {opcode: createPodSets, countParam: $sets, namespacePrefix: ns,\n"
                       "     createPodsOp: {opcode: createPods, countParam: $pods}}\n",
                       "{sets: 3, pods: 7}"));
  ASSERT_TRUE(workloads) << workloads.error().message;
  const auto& operations = workloads->front().operations;
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(std::get<CreatePods>(operations[0]).namespace_, "ns-0");
  EXPECT_EQ(std::get<CreatePods>(operations[2]).namespace_, "ns-2");
  EXPECT_EQ(std::get<CreatePods>(operations[2]).count, 7);
}

TEST(DecodePerfConfig, ReadsTheOtherOperations) {
  const auto churn = FirstOf<Churn>(
      "  - {opcode: churn, mode: recreate, number: 5, templatePaths: [a, b], namespace: c,\n"
      "     intervalMilliseconds: 200}\n");
  EXPECT_TRUE(churn.recreate);
  EXPECT_EQ(churn.number, 5);
  EXPECT_EQ(churn.interval, Duration::Millis(200));
  EXPECT_EQ(churn.objects.size(), 2U);
  EXPECT_EQ(FirstOf<Churn>("  - {opcode: churn, mode: create, templatePaths: [a]}\n").interval,
            Duration::Millis(500));
  const auto barrier = FirstOf<Barrier>(
      "  - {opcode: barrier, namespaces: [a], stageRequirement: Attempted, labelSelector: {b: "
      "c}}\n");
  EXPECT_TRUE(barrier.attempted);
  EXPECT_THAT(barrier.labels, ElementsAre(Pair("b", "c")));
  const auto deletion = FirstOf<DeletePods>(
      "  - {opcode: deletePods, namespace: a, deletePodsPerSecond: 50, skipWaitToCompletion: "
      "true}\n");
  EXPECT_EQ(deletion.per_second, 50);
  EXPECT_EQ(FirstOf<Sleep>("  - {opcode: sleep, duration: 1m30s}\n").duration,
            Duration::Seconds(90));
  const auto update = FirstOf<UpdateAny>(
      "  - {opcode: updateAny, templatePath: a, count: 4, updatePerSecond: 2, subresources: "
      "[resize]}\n");
  EXPECT_EQ(update.per_second, 2);
  EXPECT_THAT(update.subresources, ElementsAre("resize"));
  EXPECT_EQ(FirstOf<CreateAny>("  - {opcode: createAny, templatePath: a, namespace: b}\n").count,
            1);
  const auto driver = FirstOf<CreateResourceDriver>(
      "  - {opcode: createResourceDriver, driverName: d, nodes: \"n-*\", maxClaimsPerNodeParam: "
      "$m}\n",
      "{m: 10}");
  EXPECT_EQ(driver.claims_per_node, 10);
  EXPECT_EQ(
      FirstOf<AllocResourceClaims>("  - {opcode: allocResourceClaims, namespace: a}\n").namespace_,
      "a");
  EXPECT_EQ(FirstOf<CreateResourceClaims>(
                "  - {opcode: createResourceClaims, namespace: a, templatePath: b, count: 3}\n")
                .count,
            3);
  EXPECT_EQ(
      FirstOf<CreateNamespaces>("  - {opcode: createNamespaces, prefix: a, count: 2}\n").count, 2);
  EXPECT_EQ(FirstOf<StartCollecting>(
                "  - {opcode: startCollectingMetrics, name: late, namespaces: [a]}\n")
                .name,
            "late");
  const auto groups = FirstOf<CreateAny>(
      "  - {opcode: createPodGroups, namespace: a, templatePath: b, count: 2, templateParams: {c: "
      "3}}\n");
  EXPECT_EQ(groups.count, 2);
  EXPECT_THAT(groups.object.values, ElementsAre(Pair("c", TemplateValue(int64_t{3}))));
}

struct Wrong {
  std::string operation;
  std::string want;
};

TEST(DecodePerfConfig, NamesWhatIsWrong) {
  const Wrong cases[] = {
      {"{opcode: createNode, count: 1}",
       "a.yaml: Test/Small: workloadTemplate[0]: opcode: unknown opcode \"createNode\"; did you "
       "mean "
       "createNodes?"},
      {"{opcode: createNodes, cuont: 1}",
       "a.yaml: Test/Small: workloadTemplate[0]: unknown field \"cuont\"; did you mean count?"},
      {"{opcode: createNodes, countParam: $nodes}",
       "workloadTemplate[0]: countParam: parameter $nodes is undefined; add it to the workload's "
       "params"},
      {"{opcode: createNodes, countParam: nodes}",
       "countParam: \"nodes\" is not a parameter; it must begin with $"},
      {"{opcode: createNodes, count: -1}", "count: -1 is not a number from 0 to 100000000"},
      {"{opcode: createNodes, count: 1e12}", "is not a number from 0 to 100000000"},
      {"{opcode: createNodes, count: many}", "count: \"many\" is not a number from"},
      {"{opcode: createNodes, count: 1, labelNodePrepareStrategy: {labelKey: a}}",
       "labelNodePrepareStrategy: labelValues: must not be empty"},
      {"{opcode: createPods, count: 1, collectMetrics: true, skipWaitToCompletion: true}",
       "collectMetrics and skipWaitToCompletion cannot be true at the same time"},
      {"{opcode: createPods, count: 1, steadyState: true}",
       "duration: must be positive in a steady state"},
      {"{opcode: createPods, count: 1, collectMetrics: 1}",
       "collectMetrics: 1 is not true or false"},
      {"{opcode: churn, mode: always, templatePaths: [a]}",
       "mode: \"always\" is neither create nor recreate"},
      {"{opcode: churn, mode: create}", "templatePaths: must not be empty"},
      {"{opcode: barrier, stageRequirement: Done}",
       "stageRequirement: \"Done\" is neither Scheduled nor Attempted"},
      {"{opcode: sleep, duration: 5}", "duration: 5 is not a duration such as 10s"},
      {"{opcode: sleep, duration: 48h}", "of at most a day"},
      {"{opcode: createAny}", "templatePath: must be set"},
      {"{opcode: startCollectingMetrics}", "namespaces: must not be empty"},
      {"{opcode: createPodSets, count: 1000000000, namespacePrefix: a}", "is not a number from"},
      {"[]", "workloadTemplate[0]: [] is not an object"},
  };
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(ErrorOf(Config("  - " + wrong.operation + "\n")), HasSubstr(wrong.want))
        << wrong.operation;
  }
}

TEST(DecodePerfConfig, RefusesOtherMistakes) {
  EXPECT_THAT(ErrorOf("a: b"), HasSubstr("a.yaml: not a list of test cases"));
  EXPECT_THAT(ErrorOf("- {name: a, name: b}"), HasSubstr("a.yaml: "));
  EXPECT_THAT(ErrorOf("- {name: a}"),
              HasSubstr("a.yaml: [0]: workloadTemplate: has no operations"));
  EXPECT_THAT(
      ErrorOf("- name: a\n  workloadTemplate: [{opcode: barrier}]\n  workloads: [{name: b}]"),
      HasSubstr("a.yaml: a/b: no operation collects metrics"));
  EXPECT_THAT(ErrorOf(Config("") + "  - name: Small\n"), HasSubstr("the name is not unique"));
  EXPECT_THAT(ErrorOf(std::string(kMaxPerfConfigBytes + 1, ' ')), HasSubstr("larger than"));
}

TEST(DecodePerfConfig, NotesParametersThatAreNotUsed) {
  const auto workloads = DecodePerfConfig("a.yaml", Config("", "{typo: 3}"));
  ASSERT_TRUE(workloads) << workloads.error().message;
  EXPECT_THAT(workloads->front().notes, ElementsAre("params: typo is not used by any operation"));
}

TEST(MatchesLabels, WantsSomeAndExcludesOthers) {
  const std::vector<std::string> labels = {"performance", "short"};
  EXPECT_TRUE(MatchesLabels(labels, ""));
  EXPECT_TRUE(MatchesLabels(labels, "performance"));
  EXPECT_TRUE(MatchesLabels(labels, "performance,+short,-fast"));
  EXPECT_FALSE(MatchesLabels(labels, "performance,-short"));
  EXPECT_FALSE(MatchesLabels(labels, "fast"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
