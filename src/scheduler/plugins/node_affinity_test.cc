#include "scheduler/plugins/node_affinity.h"

#include "scheduler/model/labels.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using Labels = std::vector<std::string>;

// Nodes "a", "b", ... with the given labels.
void AddNodes(TestCluster& world, const Labels& labels_of_nodes) {
  for (size_t i = 0; i < labels_of_nodes.size(); ++i) {
    world.Add(NodeYaml(NthName(i), {.labels = labels_of_nodes[i]}));
  }
}

std::string Requiring(std::string_view terms) {
  return fmt::format(
      "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
      "{{nodeSelectorTerms: [{}]}}}}}}",
      terms);
}

std::string Preferring(std::string_view terms) {
  return fmt::format(
      "affinity: {{nodeAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{}]}}}}",
      terms);
}

// The arguments with which the operator adds the affinity of a pod with `spec` to all pods.
framework::NodeAffinityArgs Adding(const std::string& spec) {
  const auto pod =
      std::get<api::Ref<api::Pod>>(DecodeOrFail(PodYaml("args", {.spec = spec})).at(0));
  return {pod->spec.affinity->node_affinity};
}

constexpr const char* kOwnReason =
    "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";
constexpr const char* kAddedReason =
    "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity";

struct FilterCase {
  const char* name;
  std::string spec;
  Labels nodes;
  // One character per node: '1' feasible, '0' rejected, '-' left out by PreFilter; or PreFilter's
  // verdict.
  const char* want;
};

class NodeAffinityFilterTest : public testing::TestWithParam<FilterCase> {};

TEST_P(NodeAffinityFilterTest, Filter) {
  TestCluster world;
  AddNodes(world, GetParam().nodes);
  PluginHarness trial(world, MakePlugin("NodeAffinity"), PodYaml("web", {.spec = GetParam().spec}));
  EXPECT_EQ(trial.Filter(), GetParam().want);
}

const FilterCase kSelectorCases[] = {
    {"NothingRequiredSkips", "", {""}, "Skip"},
    {"PreferencesAloneSkip",
     Preferring("{weight: 1, preference: {matchExpressions: [{key: k, operator: Exists}]}}"),
     {""},
     "Skip"},
    {"AnEmptyNodeSelectorDoesNotSkip", "nodeSelector: {}", {"", "k: v"}, "11"},
    {"NodeSelectorComparesTheValue",
     "nodeSelector: {disk: ssd}",
     {"disk: ssd", "disk: hdd", ""},
     "100"},
    {"NodeSelectorWantsAllPairs",
     "nodeSelector: {disk: ssd, zone: x}",
     {"disk: ssd", "disk: ssd, zone: x"},
     "01"},
    {"NodeSelectorAndTermsMustBothHold",
     "nodeSelector: {disk: ssd}, " +
         Requiring("{matchExpressions: [{key: zone, operator: Exists}]}"),
     {"disk: ssd", "zone: x", "disk: ssd, zone: x"},
     "001"},
    {"AnyTermIsEnough",
     Requiring("{matchExpressions: [{key: zone, operator: In, values: [x]}]}, "
               "{matchExpressions: [{key: disk, operator: Exists}]}"),
     {"zone: x", "disk: hdd", "zone: z"},
     "110"},
    {"AllExpressionsOfATermMustHold",
     Requiring("{matchExpressions: [{key: zone, operator: In, values: [x, z]}, {key: disk, "
               "operator: Exists}]}"),
     {"zone: x", "zone: z, disk: hdd", "disk: hdd"},
     "010"},
    {"NotInTakesAbsentLabels",
     Requiring("{matchExpressions: [{key: k, operator: NotIn, values: [v]}]}"),
     {"", "k: v", "k: w"},
     "101"},
    {"DoesNotExist",
     Requiring("{matchExpressions: [{key: k, operator: DoesNotExist}]}"),
     {"", "k: v"},
     "10"},
    {"GtComparesNumbers",
     Requiring("{matchExpressions: [{key: cpu, operator: Gt, values: ['8']}]}"),
     {"cpu: '16'", "cpu: '8'", "cpu: x", ""},
     "1000"},
    {"LtComparesNumbers",
     Requiring("{matchExpressions: [{key: cpu, operator: Lt, values: ['8']}]}"),
     {"cpu: '16'", "cpu: '-3'", "cpu: '7'"},
     "011"},
    {"NoTermsMatchNothing", Requiring(""), {"", "k: v"}, "00"},
    {"EmptyTermsMatchNothing", Requiring("{}"), {"", "k: v"}, "00"},
    {"EmptyTermsDoNotSpoilOthers",
     Requiring("{}, {matchExpressions: [{key: k, operator: Exists}]}"),
     {"", "k: v"},
     "01"},
    {"UnparsableTermsMatchNothing",
     Requiring("{matchExpressions: [{key: cpu, operator: Gt, values: ['8', '9']}]}"),
     {"cpu: '16'"},
     "0"},
    {"UnparsableTermsDoNotSpoilOthers",
     Requiring("{matchExpressions: [{key: k, operator: Near}]}, {matchExpressions: [{key: k, "
               "operator: Exists}]}"),
     {"", "k: v"},
     "01"},
};

INSTANTIATE_TEST_SUITE_P(Selectors, NodeAffinityFilterTest, testing::ValuesIn(kSelectorCases),
                         [](const auto& c) { return c.param.name; });

// A term that names nodes.
std::string Named(std::string_view values, std::string_view op = "In") {
  return fmt::format("{{matchFields: [{{key: metadata.name, operator: {}, values: [{}]}}]}}", op,
                     values);
}

const FilterCase kNameCases[] = {
    {"NamingANodeLeavesOutTheOthers", Requiring(Named("b")), {"", "", ""}, "-1-"},
    {"SeveralTermsNameSeveralNodes", Requiring(Named("c") + "," + Named("a")), {"", "", ""}, "1-1"},
    {"UnknownNamesLeaveNoNode", Requiring(Named("z")), {"", ""}, "--"},
    {"ATermThatNamesNoneLiftsTheRestriction",
     Requiring(Named("a") + ", {matchExpressions: [{key: k, operator: Exists}]}"),
     {"", "", "k: v"},
     "101"},
    {"AnEmptyTermLiftsTheRestriction", Requiring(Named("a") + ", {}"), {"", ""}, "10"},
    {"ExpressionsStillCount",
     Requiring("{matchFields: [{key: metadata.name, operator: In, values: [a]}], "
               "matchExpressions: [{key: k, operator: Exists}]}"),
     {"", "k: v"},
     "0-"},
    {"TheNodeSelectorStillCounts",
     "nodeSelector: {k: v}, " + Requiring(Named("a") + "," + Named("b")),
     {"", "k: v", "k: v"},
     "01-"},
    {"NotInNamesNone", Requiring(Named("a", "NotIn")), {"", ""}, "01"},
    {"OtherFieldsNameNone",
     Requiring("{matchFields: [{key: metadata.namespace, operator: In, values: ['']}]}"),
     {"", ""},
     "11"},
    {"OtherFieldsAreEmpty",
     Requiring("{matchFields: [{key: metadata.namespace, operator: In, values: [a]}]}"),
     {"", ""},
     "00"},
    {"FieldsOfOneTermIntersect",
     Requiring("{matchFields: [{key: metadata.name, operator: In, values: [a]}, "
               "{key: metadata.name, operator: In, values: [a]}]}"),
     {"", ""},
     "1-"},
    {"FieldsOfOneTermMayConflict",
     Requiring("{matchFields: [{key: metadata.name, operator: In, values: [a]}, "
               "{key: metadata.name, operator: In, values: [b]}]}"),
     {"", ""},
     "UnschedulableAndUnresolvable: pod affinity terms conflict"},
    {"OneTermWithoutConflictIsEnough",
     Requiring("{matchFields: [{key: metadata.name, operator: In, values: [a]}, "
               "{key: metadata.name, operator: In, values: [b]}]}, " +
               Named("b")),
     {"", ""},
     "-1"},
    // Such a term does not parse, and still restricts.
    {"SeveralNamesRestrictAndMatchNothing", Requiring(Named("a, b")), {"", "", ""}, "00-"},
    {"NoNamesConflict",
     Requiring(Named("")),
     {""},
     "UnschedulableAndUnresolvable: pod affinity terms conflict"},
};

INSTANTIATE_TEST_SUITE_P(Names, NodeAffinityFilterTest, testing::ValuesIn(kNameCases),
                         [](const auto& c) { return c.param.name; });

TEST(NodeAffinity, SaysWhy) {
  TestCluster world;
  AddNodes(world, {""});
  for (const std::string& spec : {std::string("nodeSelector: {k: v}"), Requiring("{}")}) {
    PluginHarness trial(world, MakePlugin("NodeAffinity"), PodYaml("web", {.spec = spec}));
    EXPECT_EQ(trial.Filter(), "0");
    EXPECT_EQ(trial.Explain("a"), kOwnReason);
  }
}

struct AddedCase {
  const char* name;
  std::string added, spec;
  Labels nodes;
  const char* want;
  std::vector<const char*> reasons;  // One per node.
};

class NodeAffinityAddedTest : public testing::TestWithParam<AddedCase> {};

TEST_P(NodeAffinityAddedTest, Filter) {
  const AddedCase& c = GetParam();
  TestCluster world;
  AddNodes(world, c.nodes);
  PluginHarness trial(world, MakePlugin("NodeAffinity", Adding(c.added)),
                      PodYaml("web", {.spec = c.spec}));
  EXPECT_EQ(trial.Filter(), c.want);
  for (size_t i = 0; i < c.reasons.size(); ++i) EXPECT_EQ(trial.Explain(NthName(i)), c.reasons[i]);
}

const std::string kAddsPool =
    Requiring("{matchExpressions: [{key: pool, operator: In, values: [batch]}]}");

const AddedCase kAddedCases[] = {
    {"HoldsForPlainPods", kAddsPool, "", {"pool: batch", ""}, "10", {"Success", kAddedReason}},
    {"IsBlamedFirst",
     kAddsPool,
     "nodeSelector: {disk: ssd}",
     {"", "pool: batch", "disk: ssd", "pool: batch, disk: ssd"},
     "0001",
     {kAddedReason, kOwnReason, kAddedReason, "Success"}},
    {"MayNameANode",
     Requiring(Named("b")),
     "",
     {"", "", ""},
     "010",
     {kAddedReason, "Success", kAddedReason}},
    {"WithoutTermsMatchesNothing", Requiring(""), "", {""}, "0", {kAddedReason}},
    {"PreferencesAloneSkip",
     Preferring("{weight: 1, preference: {matchExpressions: [{key: k, operator: Exists}]}}"),
     "",
     {""},
     "Skip",
     {}},
};

INSTANTIATE_TEST_SUITE_P(All, NodeAffinityAddedTest, testing::ValuesIn(kAddedCases),
                         [](const auto& c) { return c.param.name; });

std::string Prefers(int weight, std::string_view key) {
  return fmt::format(
      "{{weight: {}, preference: {{matchExpressions: [{{key: {}, operator: Exists}}]}}}}", weight,
      key);
}

struct ScoreCase {
  const char* name;
  std::string added, own;  // Preferred terms.
  Labels nodes;
  const char* raw;
  const char* want;
};

class NodeAffinityScoreTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(NodeAffinityScoreTest, Score) {
  const ScoreCase& c = GetParam();
  TestCluster world;
  AddNodes(world, c.nodes);
  const framework::PluginArgs args = c.added.empty()
                                         ? framework::PluginArgs()
                                         : framework::PluginArgs(Adding(Preferring(c.added)));
  PluginHarness trial(world, MakePlugin("NodeAffinity", args),
                      PodYaml("web", {.spec = Preferring(c.own)}));
  EXPECT_EQ(trial.RawScores(), c.raw);
  EXPECT_EQ(trial.Scores(), c.want);
}

const ScoreCase kScoreCases[] = {
    {"NoPreferencesSkip", "", "", {"", ""}, "Skip", "Skip"},
    {"MatchingWeightsAddUp",
     "",
     Prefers(5, "x") + "," + Prefers(3, "w"),
     {"", "x: ''", "x: '', w: ''", "w: ''"},
     "0 5 8 3",
     "0 62 100 37"},
    {"TheHighestSetsTheScale",
     "",
     Prefers(8, "x") + "," + Prefers(7, "w"),
     {"x: ''", "w: ''", "x: '', w: ''"},
     "8 7 15",
     "53 46 100"},
    {"NoMatchScoresNothing", "", Prefers(5, "x"), {"", "w: ''"}, "0 0", "0 0"},
    {"WeightZeroIsLeftOut",
     "",
     Prefers(0, "x") + "," + Prefers(2, "w"),
     {"x: ''", "w: ''"},
     "0 2",
     "0 100"},
    {"WeightZeroAloneDoesNotSkip", "", Prefers(0, "x"), {"x: ''"}, "0", "0"},
    {"WeightZeroNeedNotParse",
     "",
     "{weight: 0, preference: {matchExpressions: [{key: x, operator: Near}]}}," + Prefers(2, "w"),
     {"x: ''", "w: ''"},
     "0 2",
     "0 100"},
    {"EmptyTermsAreLeftOut",
     "",
     "{weight: 9, preference: {}}," + Prefers(2, "w"),
     {"x: ''", "w: ''"},
     "0 2",
     "0 100"},
    {"NegativeWeightsPullDown",
     "",
     Prefers(4, "x") + "," + Prefers(-1, "w"),
     {"x: ''", "x: '', w: ''"},
     "4 3",
     "100 75"},
    {"TermsMayNameNodes",
     "",
     "{weight: 3, preference: {matchFields: [{key: metadata.name, operator: In, values: [b]}]}}",
     {"", ""},
     "0 3",
     "0 100"},
    {"UnparsableTermsAreErrors",
     "",
     Prefers(1, "x") + ", {weight: 2, preference: {matchExpressions: [{key: x, operator: Near}]}}",
     {""},
     "Error: [1].matchExpressions[0].operator: Unsupported value: \"Near\": supported values: "
     "\"In\", \"NotIn\", "
     "\"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
     "Error: [1].matchExpressions[0].operator: Unsupported value: \"Near\": supported values: "
     "\"In\", \"NotIn\", "
     "\"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""},
    {"AddedPreferencesDoNotSkip", Prefers(2, "x"), "", {"x: ''", ""}, "2 0", "100 0"},
    {"AddedPreferencesAddUpWithOwn",
     Prefers(2, "x"),
     Prefers(3, "w"),
     {"x: ''", "w: ''", "x: '', w: ''"},
     "2 3 5",
     "40 60 100"},
};

INSTANTIATE_TEST_SUITE_P(All, NodeAffinityScoreTest, testing::ValuesIn(kScoreCases),
                         [](const auto& c) { return c.param.name; });

std::string ErrorOf(const std::string& added) {
  auto plugin = TryMakePlugin("NodeAffinity", Adding(added));
  return plugin ? "" : plugin.error().message;
}

TEST(NodeAffinity, AddedAffinityMustParse) {
  EXPECT_EQ(ErrorOf(kAddsPool), "");
  EXPECT_EQ(ErrorOf(Requiring("")), "");
  EXPECT_EQ(ErrorOf(Requiring("{matchExpressions: [{key: k, operator: Exists, values: [v]}]}")),
            "parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: "
            "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"v\"]: "
            "values set must be empty for exists and does not exist");
  EXPECT_EQ(
      ErrorOf(Preferring("{weight: 1, preference: {matchExpressions: [{key: k, operator: In}]}}")),
      "parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: "
      "[0].matchExpressions[0].values: Invalid value: null: "
      "for 'in', 'notin' operators, values set can't be empty");
}

TEST(NodeAffinity, RefusesTheArgumentsOfAnotherPlugin) {
  auto plugin = TryMakePlugin("NodeAffinity", framework::NodeResourcesFitArgs{});
  ASSERT_FALSE(plugin.has_value());
  EXPECT_EQ(plugin.error().message, "arguments are of the wrong type");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
