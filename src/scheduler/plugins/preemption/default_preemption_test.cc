#include "scheduler/plugins/preemption/default_preemption.h"

#include "base/random.h"
#include "scheduler/plugins/preemption/preemption_testing.h"
#include "testing/cluster_dump.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string NodeWith(std::string_view name, std::string_view cpu, std::string_view spec = "") {
  return NodeYaml(name,
                  {.spec = std::string(spec),
                   .status = fmt::format("allocatable: {{cpu: {}, memory: 8Gi, pods: 110}}", cpu)});
}

std::string Pod(std::string_view name, int32_t priority, std::string_view node,
                std::string_view cpu = "1", std::string_view labels = "") {
  return PodYaml(name, {.labels = std::string(labels),
                        .spec = fmt::format(
                            "priority: {}, nodeName: '{}', containers: [{{name: main, resources: "
                            "{{requests: {{cpu: {}}}}}}}]",
                            priority, node, cpu)});
}

// The preempting pod: priority 10, two cpus.
std::string Preemptor(std::string_view spec = "", std::string_view status = "") {
  return PodYaml(
      "preemptor",
      {.spec = fmt::format("priority: 10, containers: [{{name: main, resources: {{requests: "
                           "{{cpu: 2}}}}}}], {}",
                           spec),
       .status = std::string(status)});
}

std::unique_ptr<framework::Profile> NodeLocal(const framework::PluginArgs& args = {}) {
  return ProfileOf({"NodeUnschedulable", "NodeAffinity", "NodeResourcesFit"}, args);
}

std::string PostFilter(TestCluster& world) {
  const auto profile = NodeLocal();
  return PreemptionHarness(world, *profile, "preemptor").PostFilter();
}

TEST(DefaultPreemption, NominatesTheNodeWhoseVictimsMatterLeast) {
  TestCluster world{NodeWith("a", "2"), Pod("a1", 5, "a"), Pod("a2", 1, "a"),  NodeWith("b", "2"),
                    Pod("b1", 4, "b"),  Pod("b2", 4, "b"), NodeWith("c", "2"), Pod("c1", 11, "c"),
                    Pod("c2", 1, "c"),  Preemptor()};
  const auto profile = NodeLocal();
  PreemptionHarness trial(world, *profile, "preemptor");
  const std::string before = Dump(world.cluster());
  EXPECT_EQ(trial.Candidates(), "a: a1 a2; b: b1 b2");
  EXPECT_EQ(trial.PostFilter(), "nominated to b, evicting b1 b2");
  EXPECT_EQ(Dump(world.cluster()), before);
}

TEST(DefaultPreemption, ChoosesTheSameWhereverItStarts) {
  TestCluster world{NodeWith("a", "2"), Pod("a1", 3, "a"), NodeWith("b", "2"), Pod("b1", 2, "b"),
                    NodeWith("c", "2"), Pod("c1", 4, "c"), Preemptor()};
  const auto profile = NodeLocal();
  PreemptionHarness trial(world, *profile, "preemptor");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(trial.PostFilter("DefaultPreemption", seed), "nominated to b, evicting b1");
  }
}

TEST(DefaultPreemption, ReportsWhatItConsidered) {
  TestCluster world{NodeWith("a", "2"), Pod("a1", 3, "a"), NodeWith("b", "2"), Pod("b1", 11, "b"),
                    NodeWith("c", "2"), Pod("c1", 3, "c"), NodeWith("d", "1"), Preemptor()};
  const auto profile = NodeLocal();
  framework::PreemptionReport report;
  PreemptionHarness(world, *profile, "preemptor").PostFilter("DefaultPreemption", 1, &report);
  EXPECT_TRUE(report.tried);
  EXPECT_TRUE(report.eligible);
  ASSERT_EQ(report.candidates.size(), 2u);
  ASSERT_EQ(report.equally_good.size(), 2u);
  EXPECT_EQ(report.selected, report.equally_good[0]);
  ASSERT_EQ(report.rejected.size(), 1u);
  EXPECT_EQ(world.name(report.rejected[0].first), "b");
}

TEST(DefaultPreemption, DoesNothingForPodsThatNeverPreempt) {
  TestCluster world{NodeWith("a", "2"), Pod("a1", 1, "a"),
                    Preemptor("preemptionPolicy: Never", "nominatedNodeName: a")};
  const auto profile = NodeLocal();
  framework::PreemptionReport report;
  EXPECT_EQ(
      PreemptionHarness(world, *profile, "preemptor").PostFilter("DefaultPreemption", 1, &report),
      "Unschedulable: preemption: not eligible due to preemptionPolicy=Never. (kept)");
  EXPECT_TRUE(report.tried);
  EXPECT_FALSE(report.eligible);
}

TEST(DefaultPreemption, TheOtherPolicyPreempts) {
  TestCluster world{NodeWith("a", "2"), Pod("a1", 1, "a"),
                    Preemptor("preemptionPolicy: PreemptLowerPriority")};
  EXPECT_EQ(PostFilter(world), "nominated to a, evicting a1");
}

TEST(DefaultPreemption, SaysWhyNoNodeHelps) {
  TestCluster small{NodeWith("a", "1"), NodeWith("b", "2", "unschedulable: true"),
                    Pod("b1", 1, "b"), Preemptor()};
  EXPECT_EQ(PostFilter(small),
            "Unschedulable: preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
            "scheduling. "
            "(cleared)");

  TestCluster important{NodeWith("a", "1"), NodeWith("b", "2"),      Pod("b1", 10, "b"),
                        NodeWith("c", "4"), Pod("c1", 20, "c", "3"), Pod("c2", 1, "c"),
                        Preemptor()};
  EXPECT_EQ(PostFilter(important),
            "Unschedulable: preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No "
            "preemption victims found "
            "for incoming pod, 1 Preemption is not helpful for scheduling. (cleared)");
}

TEST(DefaultPreemption, LeavesOutNodesThatPreFilterLeftOut) {
  TestCluster world{
      NodeWith("a", "2"), Pod("a1", 1, "a"), NodeWith("b", "2"), Pod("b1", 5, "b"),
      Preemptor("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, "
                "values: [b]}]}]}}}")};
  EXPECT_EQ(PostFilter(world), "nominated to b, evicting b1");
}

TEST(DefaultPreemption, DoesNothingIfPreFilterRejectsForGood) {
  TestCluster world{
      NodeWith("a", "2"), Pod("a1", 1, "a"),
      Preemptor("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In}]}]}}}")};
  EXPECT_EQ(PostFilter(world),
            "Unschedulable: preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
            "scheduling. "
            "(cleared)");
}

// Says no as a whole, in a way that removing pods may cure.
class NotNow final : public framework::PreFilterPlugin, public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NotNow";
  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle&) const override {
    return {framework::Verdict(framework::Code::kUnschedulable, "not now"), {}};
  }
  framework::Conditions Require(const framework::Cycle&) const override { return {}; }
};

TEST(DefaultPreemption, TriesEveryNodeIfPreFilterRejectsForNow) {
  framework::Registry registry = InTreeRegistry();
  registry.Add<NotNow>();
  const auto profile = ProfileOf({"NotNow", "NodeResourcesFit"}, {}, registry);
  TestCluster world{NodeWith("a", "2"), Pod("a1", 3, "a"), NodeWith("b", "2"), Pod("b1", 2, "b"),
                    Preemptor()};
  EXPECT_EQ(PreemptionHarness(world, *profile, "preemptor").Candidates(), "a: a1; b: b1");
}

// Fails once a pod is removed from the node.
class Forgetful final : public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "Forgetful";
  std::string_view name() const override { return kName; }
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override {
    if (cycle.nodes().columns().pod_count[node.index()] == 0)
      return framework::Verdict::Error("what was it?");
    return {framework::Code::kUnschedulable, "taken"};
  }
};

TEST(DefaultPreemption, PassesOnAnErrorIfThereIsNoCandidate) {
  framework::Registry registry = InTreeRegistry();
  registry.Add<Forgetful>();
  const auto profile = ProfileOf({"Forgetful"}, {}, registry);
  TestCluster world{NodeWith("a", "2"), Pod("a1", 3, "a"), Preemptor()};
  EXPECT_EQ(PreemptionHarness(world, *profile, "preemptor").PostFilter(),
            "Error: preemption: running \"Forgetful\" filter plugin: what was it? (kept)");
}

struct WaitCase {
  const char* name;
  const char* nominated;
  const char* pod;  // The parts of the pod that may be on its way out: metadata, spec and status.
  bool waits;
};

class PreemptionWaitTest : public testing::TestWithParam<WaitCase> {};

TEST_P(PreemptionWaitTest, PostFilter) {
  TestCluster world{NodeWith("a", "2"), NodeWith("small", "1"),
                    Preemptor("", GetParam().nominated)};
  world.Add(fmt::format("{{apiVersion: v1, kind: Pod, {}}}", GetParam().pod));
  world.Add(Pod("a1", 1, "a"));
  const std::string outcome = PostFilter(world);
  EXPECT_EQ(outcome ==
                "Unschedulable: preemption: not eligible due to a terminating pod on the nominated "
                "node. (kept)",
            GetParam().waits)
      << outcome;
  EXPECT_EQ(outcome.starts_with("nominated to a, evicting "), !GetParam().waits) << outcome;
}

#define LEAVING \
  "metadata: {name: old, namespace: default, deletionTimestamp: '1970-01-01T00:00:00Z'}, "
#define EVICTED                                                             \
  "status: {conditions: [{type: DisruptionTarget, status: 'True', reason: " \
  "PreemptionByScheduler}]}"

const WaitCase kWaitCases[] = {
    {"ForAnEvictedPodOnItsWayOut", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}, " EVICTED, true},
    {"NotWithoutANomination", "", LEAVING "spec: {nodeName: a, priority: 9}, " EVICTED, false},
    {"NotIfTheNominatedNodeIsGone", "nominatedNodeName: gone",
     LEAVING "spec: {nodeName: a, priority: 9}, " EVICTED, false},
    {"NotForPodsOnOtherNodes", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: small, priority: 9}, " EVICTED, false},
    {"NotIfTheNominatedNodeIsHopeless", "nominatedNodeName: small",
     LEAVING "spec: {nodeName: small, priority: 9}, " EVICTED, false},
    {"NotForAPodOfEqualPriority", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 10}, " EVICTED, false},
    {"NotForAPodThatStays", "nominatedNodeName: a",
     "metadata: {name: old, namespace: default}, spec: {nodeName: a, priority: 9}, " EVICTED,
     false},
    {"NotForAPodThatLeavesByItself", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}", false},
    {"NotForAPodDisruptedByOthers", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}, "
             "status: {conditions: [{type: DisruptionTarget, status: 'True', reason: "
             "EvictionByEvictionAPI}]}",
     false},
    {"NotForAPodNoLongerDisrupted", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}, "
             "status: {conditions: [{type: DisruptionTarget, status: 'False', reason: "
             "PreemptionByScheduler}]}",
     false},
    {"NotIfTheFirstConditionSaysOtherwise", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}, "
             "status: {conditions: [{type: DisruptionTarget, status: 'True', reason: "
             "EvictionByEvictionAPI}, {type: DisruptionTarget, status: 'True', reason: "
             "PreemptionByScheduler}]}",
     false},
    {"NotForAnotherCondition", "nominatedNodeName: a",
     LEAVING "spec: {nodeName: a, priority: 9}, "
             "status: {conditions: [{type: Ready, status: 'True', reason: PreemptionByScheduler}]}",
     false},
};

#undef LEAVING
#undef EVICTED

INSTANTIATE_TEST_SUITE_P(Waits, PreemptionWaitTest, testing::ValuesIn(kWaitCases),
                         [](const auto& c) { return c.param.name; });

std::string PreEnqueue(TestCluster& world) {
  const auto plugin = MakePlugin("DefaultPreemption");
  return Text(dynamic_cast<const framework::PreEnqueuePlugin&>(*plugin).PreEnqueue(
      world.cluster(), world.cluster().pod(world.pod("preemptor"))));
}

TEST(DefaultPreemption, KeepsAPodOutOfTheQueueWhileItsVictimsAreEvicted) {
  constexpr const char* kWaiting =
      "UnschedulableAndUnresolvable: waiting for the preemption for this pod to be finished";
  TestCluster world{NodeWith("a", "2"), Pod("first", 1, "a"), Pod("last", 1, "a"), Preemptor()};
  model::Preemptions& preemptions = world.cluster().mutable_preemptions();
  EXPECT_EQ(PreEnqueue(world), "Success");
  preemptions.Begin("uid-of-another");
  EXPECT_EQ(PreEnqueue(world), "Success");
  preemptions.Begin("uid-of-preemptor");
  EXPECT_EQ(PreEnqueue(world), kWaiting);
  preemptions.LastVictim("uid-of-preemptor", {"default", "last"}, "uid-of-last");
  EXPECT_EQ(PreEnqueue(world), kWaiting);
  preemptions.End("uid-of-preemptor");
  EXPECT_EQ(PreEnqueue(world), "Success");
}

TEST(DefaultPreemption, LetsAPodInOnceItsLastVictimIsOnItsWay) {
  TestCluster world{NodeWith("a", "2"), Pod("last", 1, "a"), Preemptor()};
  model::Preemptions& preemptions = world.cluster().mutable_preemptions();
  preemptions.Begin("uid-of-preemptor");

  preemptions.LastVictim("uid-of-preemptor", {"default", "gone"}, "uid-of-gone");
  EXPECT_EQ(PreEnqueue(world), "Success") << "it is gone";
  preemptions.LastVictim("uid-of-preemptor", {"default", "last"}, "uid-of-its-predecessor");
  EXPECT_EQ(PreEnqueue(world), "Success") << "another pod took its name";

  preemptions.LastVictim("uid-of-preemptor", {"default", "leaving"}, "uid-of-leaving");
  world.Add(
      "{apiVersion: v1, kind: Pod, metadata: {name: leaving, namespace: default, uid: "
      "uid-of-leaving, "
      "deletionTimestamp: '1970-01-01T00:00:00Z'}, spec: {nodeName: a}}");
  EXPECT_EQ(PreEnqueue(world), "Success") << "it is terminating";
}

// A seed with which a search among `nodes` nodes starts at `offset`.
uint64_t SeedFor(size_t offset, size_t nodes) {
  uint64_t seed = 0;
  while (Random(seed).Below(nodes) != offset) ++seed;
  return seed;
}

// Five nodes whose victims matter more from "a" to "e"; the search starts at each of them in turn.
struct EnoughCase {
  const char* name;
  framework::DefaultPreemptionArgs args;
  const char* want;  // The node chosen, by where the search starts.
};

class PreemptionEnoughTest : public testing::TestWithParam<EnoughCase> {};

TEST_P(PreemptionEnoughTest, PostFilter) {
  TestCluster world;
  for (int i = 0; i < 5; ++i) {
    const std::string name = NthName(static_cast<size_t>(i));
    world.Add(NodeWith(name, "2"));
    world.Add(Pod("on-" + name, i, name));
  }
  world.Add(Preemptor());
  const auto profile = NodeLocal(GetParam().args);
  PreemptionHarness trial(world, *profile, "preemptor");
  std::string chosen;
  for (size_t offset = 0; offset < 5; ++offset) {
    const std::string outcome = trial.PostFilter("DefaultPreemption", SeedFor(offset, 5));
    ASSERT_TRUE(outcome.starts_with("nominated to ")) << outcome;
    chosen += outcome[std::string_view("nominated to ").size()];
  }
  EXPECT_EQ(chosen, GetParam().want);
}

const EnoughCase kEnoughCases[] = {
    {"TheDefaultsTryAHundredNodes", {}, "aaaaa"},
    {"OneCandidateIsTheFirst",
     {.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 1},
     "abcde"},
    {"TwoCandidates",
     {.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 2},
     "abcda"},
    {"APercentageOfThePotentialNodes",
     {.min_candidate_nodes_percentage = 60, .min_candidate_nodes_absolute = 1},
     "abcaa"},
    {"APercentageIsTruncated",
     {.min_candidate_nodes_percentage = 59, .min_candidate_nodes_absolute = 1},
     "abcda"},
    {"TheLargerOfBothCounts",
     {.min_candidate_nodes_percentage = 20, .min_candidate_nodes_absolute = 3},
     "abcaa"},
    {"NoMoreThanThereAre",
     {.min_candidate_nodes_percentage = 100, .min_candidate_nodes_absolute = 100},
     "aaaaa"},
    {"ASmallPercentageStillWantsOne",
     {.min_candidate_nodes_percentage = 10, .min_candidate_nodes_absolute = 0},
     "abcde"},
};

INSTANTIATE_TEST_SUITE_P(Enough, PreemptionEnoughTest, testing::ValuesIn(kEnoughCases),
                         [](const auto& c) { return c.param.name; });

TEST(DefaultPreemption, GoesOnUntilACandidateRespectsAllBudgets) {
  TestCluster world{
      NodeWith("a", "2"),
      Pod("a1", 1, "a", "1", "app: web"),
      NodeWith("b", "2"),
      Pod("b1", 1, "b", "1", "app: web"),
      NodeWith("c", "2"),
      Pod("c1", 5, "c"),
      Preemptor(),
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: "
      "default}, "
      "spec: {selector: {matchLabels: {app: web}}}, status: {disruptionsAllowed: 0}}"};
  const auto profile = NodeLocal(framework::DefaultPreemptionArgs{
      .min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 1});
  PreemptionHarness trial(world, *profile, "preemptor");
  for (size_t offset = 0; offset < 3; ++offset) {
    EXPECT_EQ(trial.PostFilter("DefaultPreemption", SeedFor(offset, 3)),
              "nominated to c, evicting c1");
  }
  EXPECT_EQ(trial.Candidates(), "a: a1, 1 over budget; b: b1, 1 over budget; c: c1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
