#include "scheduler/plugins/taint_toleration.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using Taints = std::vector<std::string>;

void AddNodes(TestCluster& world, const Taints& taints_of_nodes) {
  for (size_t i = 0; i < taints_of_nodes.size(); ++i) {
    world.Add(NodeYaml(NthName(i), {.spec = fmt::format("taints: [{}]", taints_of_nodes[i])}));
  }
}

std::string Tolerating(std::string_view tolerations) {
  return PodYaml("web", {.spec = fmt::format("tolerations: [{}]", tolerations)});
}

constexpr const char* kGpu = "{key: gpu, value: 'yes', effect: NoSchedule}";
constexpr const char* kEvictGpu = "{key: gpu, value: 'yes', effect: NoExecute}";
constexpr const char* kSoftGpu = "{key: gpu, value: 'yes', effect: PreferNoSchedule}";
constexpr const char* kBareGpu = "{key: gpu, effect: NoSchedule}";
constexpr const char* kDisk = "{key: disk, value: '7', effect: NoSchedule}";
constexpr const char* kGpuAndDisk =
    "{key: gpu, value: 'yes', effect: NoSchedule}, {key: disk, value: '7', effect: NoSchedule}";

struct FilterCase {
  const char* name;
  const char* tolerations;
  Taints nodes;
  const char* want;  // One character per node: '1' feasible, '0' rejected.
};

class TaintFilterTest : public testing::TestWithParam<FilterCase> {};

TEST_P(TaintFilterTest, Filter) {
  TestCluster world;
  AddNodes(world, GetParam().nodes);
  PluginHarness trial(world, MakePlugin("TaintToleration"), Tolerating(GetParam().tolerations));
  EXPECT_EQ(trial.Filter(), GetParam().want);
}

const FilterCase kFilterCases[] = {
    {"UntaintedNodesTakeAll", "", {""}, "1"},
    {"BothHardEffectsReject", "", {kGpu, kEvictGpu}, "00"},
    {"SoftTaintsNeverReject", "", {kSoftGpu}, "1"},
    {"UnknownEffectsDoNotReject", "", {"{key: a, effect: Sometimes}", "{key: a}"}, "11"},
    {"EqualComparesTheValue", "{key: gpu, operator: Equal, value: 'yes'}", {kGpu, kBareGpu}, "10"},
    {"EqualIsTheDefault", "{key: gpu, value: 'yes'}", {kGpu, kBareGpu, kDisk}, "100"},
    {"NoValueEqualsTheEmptyValue", "{key: gpu}", {kGpu, kBareGpu}, "01"},
    {"ExistsIgnoresTheValue", "{key: gpu, operator: Exists}", {kGpu, kBareGpu, kDisk}, "110"},
    {"ExistsWithoutKeyToleratesAll", "{operator: Exists}", {kGpu, kEvictGpu, kDisk}, "111"},
    {"EqualWithoutKeyComparesTheValueAlone", "{operator: Equal, value: '7'}", {kGpu, kDisk}, "01"},
    {"TheEffectMustMatch", "{key: gpu, value: 'yes', effect: NoExecute}", {kGpu, kEvictGpu}, "01"},
    {"NoEffectMatchesEvery", "{key: gpu, value: 'yes'}", {kGpu, kEvictGpu}, "11"},
    {"GtIsGatedOff", "{key: disk, operator: Gt, value: '5'}", {kDisk}, "0"},
    {"LtIsGatedOff", "{key: disk, operator: Lt, value: '9'}", {kDisk}, "0"},
    {"UnknownOperatorsTolerateNothing", "{key: disk, operator: exists}", {kDisk}, "0"},
    {"EveryHardTaintMustBeTolerated", "{key: gpu, operator: Exists}", {kGpuAndDisk, kGpu}, "01"},
    {"SeveralTolerationsAddUp",
     "{key: gpu, operator: Exists}, {key: disk, value: '7'}",
     {kGpuAndDisk},
     "1"},
    {"SecondsDoNotMatter", "{key: gpu, operator: Exists, tolerationSeconds: 0}", {kEvictGpu}, "1"},
};

INSTANTIATE_TEST_SUITE_P(All, TaintFilterTest, testing::ValuesIn(kFilterCases),
                         [](const auto& c) { return c.param.name; });

TEST(TaintToleration, SaysWhyWithoutNamingTheTaint) {
  TestCluster world{NodeYaml("a", {.spec = fmt::format("taints: [{}]", kGpu)})};
  PluginHarness trial(world, MakePlugin("TaintToleration"), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"), "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)");
}

TEST(TaintToleration, JudgesTaintsThatTurnUpLater) {
  TestCluster world{NodeYaml("a")};
  PluginHarness trial(world, MakePlugin("TaintToleration"),
                      Tolerating("{key: gpu, operator: Exists}"));
  EXPECT_EQ(trial.Filter(), "1");
  AddNodes(world, {kDisk, kGpu, kGpuAndDisk});
  EXPECT_EQ(trial.Filter(), "010");
  AddNodes(world, {kGpu, kDisk, ""});
  EXPECT_EQ(trial.Filter(), "101");
}

// The node carries the given number of soft taints.
std::string Soft(size_t count) {
  std::vector<std::string> taints;
  for (size_t i = 0; i < count; ++i) {
    taints.push_back(fmt::format("{{key: soft-{}, value: v, effect: PreferNoSchedule}}", i));
  }
  return fmt::format("{}", fmt::join(taints, ", "));
}

struct ScoreCase {
  const char* name;
  const char* tolerations;
  Taints nodes;
  const char* feasible;
  const char* raw;
  const char* want;
};

class TaintScoreTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(TaintScoreTest, Score) {
  const ScoreCase& c = GetParam();
  TestCluster world;
  AddNodes(world, c.nodes);
  PluginHarness trial(world, MakePlugin("TaintToleration"), Tolerating(c.tolerations));
  EXPECT_EQ(trial.RawScores(c.feasible), c.raw);
  EXPECT_EQ(trial.Scores(c.feasible), c.want);
}

const ScoreCase kScoreCases[] = {
    {"FewerSoftTaintsAreBetter",
     "",
     {Soft(0), Soft(1), Soft(2), Soft(3)},
     "",
     "0 1 2 3",
     "100 67 34 0"},
    {"WithoutTaintsAllGetAll", "", {"", ""}, "", "0 0", "100 100"},
    {"EquallyBadNodesAllGetNothing", "", {Soft(1), Soft(1)}, "", "1 1", "0 0"},
    {"ATolerationOfNoneStillScores",
     "{key: x, operator: Exists}",
     {Soft(1), ""},
     "",
     "1 0",
     "0 100"},
    {"ToleratedTaintsDoNotCount",
     "{key: soft-0, value: v}",
     {Soft(1), Soft(2)},
     "",
     "0 1",
     "100 0"},
    {"SoftTolerationsCount",
     "{key: soft-0, operator: Exists, effect: PreferNoSchedule}",
     {Soft(1)},
     "",
     "0",
     "100"},
    {"TolerationsOfHardTaintsDoNot",
     "{key: soft-0, operator: Exists, effect: NoSchedule}",
     {Soft(1), ""},
     "",
     "1 0",
     "0 100"},
    {"HardTaintsDoNotScore", "", {kGpu, kEvictGpu, kSoftGpu}, "", "0 0 1", "100 100 0"},
    {"NodesThatAreOutDoNotSetTheScale",
     "",
     {Soft(0), Soft(1), Soft(2), Soft(9)},
     "1110",
     "0 1 2 -",
     "100 50 0 -"},
    {"TheShareIsTruncatedBeforeItIsReversed",
     "",
     {Soft(1), Soft(6), Soft(7)},
     "",
     "1 6 7",
     "86 15 0"},
};

INSTANTIATE_TEST_SUITE_P(All, TaintScoreTest, testing::ValuesIn(kScoreCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
