#include "scheduler/plugins/preemption/victims.h"

#include <limits>

#include "scheduler/plugins/preemption/preemption_testing.h"
#include "testing/cluster_dump.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// A pod with one container; `start` is in seconds, -1 if it has not started; `labels` as YAML.
struct PodCase {
  const char* name;
  int32_t priority;
  const char* cpu = "1";
  int64_t start = -1;
  const char* labels = "";
};

std::string Yaml(const PodCase& pod, std::string_view node = "") {
  std::string status;
  if (pod.start >= 0) status = fmt::format("startTime: '1970-01-01T00:00:{:02}Z'", pod.start);
  return PodYaml(pod.name,
                 {.labels = pod.labels,
                  .spec = fmt::format("priority: {}, nodeName: '{}', containers: [{{name: main, "
                                      "resources: {{requests: {{cpu: {}}}}}}}]",
                                      pod.priority, node, pod.cpu),
                  .status = status});
}

std::string NodeWith(std::string_view name, std::string_view cpu) {
  return NodeYaml(name,
                  {.status = fmt::format("allocatable: {{cpu: {}, memory: 8Gi, pods: 110}}", cpu)});
}

std::string Budget(std::string_view name, std::string_view selector, int allowed,
                   std::string_view more = "", std::string_view namespace_ = "default") {
  return fmt::format(
      "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: {}, namespace: {}}}, "
      "spec: {{{}}}, status: {{disruptionsAllowed: {}, {}}}}}\n",
      name, namespace_, selector, allowed, more);
}

constexpr const char* kWeb = "selector: {matchLabels: {app: web}}";
constexpr const char* kAppWeb = "app: web";

struct VictimsCase {
  const char* name;
  const char* node_cpu;
  std::vector<PodCase> pods;  // On the node.
  const char* wanted_cpu;     // By a pod of priority 10.
  std::vector<std::string> budgets;
  const char* want;
};

class VictimsTest : public testing::TestWithParam<VictimsCase> {};

TEST_P(VictimsTest, SelectVictimsOnNode) {
  const VictimsCase& c = GetParam();
  TestCluster world{NodeWith("n", c.node_cpu)};
  for (const PodCase& pod : c.pods) world.Add(Yaml(pod, "n"));
  for (const std::string& budget : c.budgets) world.Add(budget);
  world.Add(Yaml({"preemptor", 10, c.wanted_cpu}));
  const auto profile = ProfileOf({"NodeResourcesFit"});
  PreemptionHarness trial(world, *profile, "preemptor");

  const std::string before = Dump(world.cluster());
  const uint64_t position = world.cluster().nodes().changes().now();
  EXPECT_EQ(trial.Victims("n"), c.want);
  EXPECT_EQ(Dump(world.cluster()), before);
  EXPECT_EQ(world.cluster().nodes().changes().now(), position);
  EXPECT_EQ(trial.Victims("n"), c.want) << "called again";
}

const VictimsCase kImportanceCases[] = {
    {"PodsOfEqualOrHigherPriorityStay",
     "2",
     {{"equal", 10}, {"higher", 11}},
     "1",
     {},
     "UnschedulableAndUnresolvable: No preemption victims found for incoming pod"},
    {"AnEmptyNodeHasNoVictims",
     "1",
     {},
     "2",
     {},
     "UnschedulableAndUnresolvable: No preemption victims found for incoming pod"},
    {"OnlyLessImportantPodsGo", "2", {{"equal", 10}, {"lower", 9}}, "1", {}, "lower"},
    {"IfThatIsNotEnoughTheFilterSaysWhy",
     "4",
     {{"higher", 11, "3"}, {"lower", 1}},
     "2",
     {},
     "Unschedulable: Insufficient cpu"},
    {"TheLeastImportantGoes", "3", {{"one", 1}, {"three", 3}, {"two", 2}}, "1", {}, "one"},
    {"VictimsAreListedByImportance",
     "3",
     {{"one", 1}, {"three", 3}, {"two", 2}},
     "3",
     {},
     "three two one"},
    {"AmongEqualsTheLastByNameGoes",
     "3",
     {{"b", 1, "1", 5}, {"c", 1, "1", 5}, {"a", 1, "1", 5}},
     "1",
     {},
     "c"},
    {"NegativePrioritiesAreLower", "2", {{"below", -1}, {"none", 0}}, "1", {}, "below"},
    // With the large one reprieved the pod does not fit; with the small one it does.
    {"AMoreImportantPodMayGoForALessImportantOneToStay",
     "4",
     {{"a", 3}, {"large", 2, "2"}, {"c", 1}},
     "2",
     {},
     "large"},
    {"AmongEqualsTheLastToStartGoes",
     "3",
     {{"t20", 1, "1", 20}, {"t30", 1, "1", 30}, {"t10", 1, "1", 10}},
     "1",
     {},
     "t30"},
    {"APodThatHasNotStartedStartsNow",
     "2",
     {{"waiting", 1}, {"t20", 1, "1", 20}},
     "1",
     {},
     "waiting"},
    {"PriorityComesBeforeStart", "2", {{"old", 1, "1", 1}, {"young", 2, "1", 50}}, "1", {}, "old"},
};

INSTANTIATE_TEST_SUITE_P(Importance, VictimsTest, testing::ValuesIn(kImportanceCases),
                         [](const auto& c) { return c.param.name; });

const std::vector<PodCase> kTwoWebs = {{"v1", 2, "1", 1, kAppWeb}, {"v2", 1, "1", 1, kAppWeb}};

const VictimsCase kBudgetCases[] = {
    {"WithoutABudgetTheLeastImportantGoes", "2", kTwoWebs, "1", {}, "v2"},
    // The first may go, the second may not, and is let back in first.
    {"ProtectedPodsAreLetBackInFirst", "2", kTwoWebs, "1", {Budget("b", kWeb, 1)}, "v1"},
    {"AmongProtectedPodsTheLeastImportantGoes",
     "2",
     kTwoWebs,
     "1",
     {Budget("b", kWeb, 0)},
     "v2, 1 over budget"},
    {"ABudgetThatBearsItAllChangesNothing", "2", kTwoWebs, "1", {Budget("b", kWeb, 2)}, "v2"},
    {"EachVictimOverBudgetCounts",
     "2",
     kTwoWebs,
     "2",
     {Budget("b", kWeb, 0)},
     "v1 v2, 2 over budget"},
    {"VictimsWithinBudgetDoNotCount",
     "2",
     kTwoWebs,
     "2",
     {Budget("b", kWeb, 1)},
     "v1 v2, 1 over budget"},
    {"BothGroupsTogetherAreListedByImportance",
     "3",
     {{"free", 2, "1", 5}, {"web1", 3, "1", 1, kAppWeb}, {"web2", 1, "1", 1, kAppWeb}},
     "3",
     {Budget("b", kWeb, 1)},
     "web1 free web2, 1 over budget"},
    {"OtherLabelsAreNotCovered",
     "2",
     {{"v1", 2, "1", 1, "app: db"}, {"v2", 1, "1", 1, "app: db"}},
     "1",
     {Budget("b", kWeb, 0)},
     "v2"},
    {"PodsWithoutLabelsAreNotCovered",
     "2",
     {{"v1", 2}, {"v2", 1}},
     "1",
     {Budget("b", "selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}", 0)},
     "v2"},
    {"ExpressionsSelect",
     "2",
     kTwoWebs,
     "1",
     {Budget("b", "selector: {matchExpressions: [{key: app, operator: Exists}]}", 0)},
     "v2, 1 over budget"},
    {"AnEmptySelectorCoversNothing", "2", kTwoWebs, "1", {Budget("b", "selector: {}", 0)}, "v2"},
    {"NoSelectorCoversNothing", "2", kTwoWebs, "1", {Budget("b", "", 0)}, "v2"},
    {"ASelectorThatDoesNotParseCoversNothing",
     "2",
     kTwoWebs,
     "1",
     {Budget("b", "selector: {matchExpressions: [{key: app, operator: Near}]}", 0)},
     "v2"},
    {"OtherNamespacesDoNotCount", "2", kTwoWebs, "1", {Budget("b", kWeb, 0, "", "other")}, "v2"},
    // v1 is on its way out already: only v2 draws on the budget.
    {"PodsDisruptedAlreadyDoNotDraw",
     "2",
     kTwoWebs,
     "2",
     {Budget("b", kWeb, 1, "disruptedPods: {v1: '1970-01-01T00:00:00Z'}")},
     "v1 v2"},
    // v1 overdraws the first budget and still draws on the second, which then does not bear v2.
    {"AnOverdrawnPodDrawsOnAllItsBudgets",
     "2",
     {{"v1", 2, "1", 1, "app: web, tier: front"}, {"v2", 1, "1", 1, "tier: front"}},
     "2",
     {Budget("a", kWeb, 0), Budget("b", "selector: {matchLabels: {tier: front}}", 1)},
     "v1 v2, 2 over budget"},
};

INSTANTIATE_TEST_SUITE_P(Budgets, VictimsTest, testing::ValuesIn(kBudgetCases),
                         [](const auto& c) { return c.param.name; });

// Equal pods: which of them is the victim must not depend on what was tried before.
TEST(Victims, TryingTwiceGivesTheSameAmongEqualPods) {
  TestCluster world{NodeWith("n", "2"), Yaml({"v1", 1, "1", 1, kAppWeb}, "n"),
                    Yaml({"v2", 1, "1", 1, kAppWeb}, "n"), Budget("b", kWeb, 1),
                    Yaml({"preemptor", 10, "1"})};
  const auto profile = ProfileOf({"NodeResourcesFit"});
  PreemptionHarness trial(world, *profile, "preemptor");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(trial.Victims("n"), "v1") << i;
}

TEST(Victims, TerminatingPodsCount) {
  TestCluster world{NodeWith("n", "2"), Yaml({"stays", 2}, "n")};
  api::Pod leaving = MakePod("leaving").Priority(1).Request("cpu", "1").On("n");
  leaving.metadata.deletion_timestamp = Instant::FromUnixSeconds(5);
  world.Add(std::make_shared<const api::Pod>(leaving));
  world.Add(Yaml({"preemptor", 10, "1"}));
  const auto profile = ProfileOf({"NodeResourcesFit"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "preemptor").Victims("n"), "leaving");
}

TEST(Victims, GiveBackTheirHostPorts) {
  TestCluster world;
  world.Add(MakeNode("n"));
  world.Add(MakePod("holder").Priority(2).HostPort(80).On("n"));
  world.Add(MakePod("other").Priority(1).HostPort(81).On("n"));
  world.Add(MakePod("preemptor").Priority(10).HostPort(80));
  const auto profile = ProfileOf({"NodePorts", "NodeResourcesFit"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "preemptor").Victims("n"), "holder");
}

// As upstream: among running pods a port is taken once, however many hold it.
TEST(Victims, GiveBackAHostPortThatAnotherPodHoldsToo) {
  TestCluster world;
  world.Add(MakeNode("n"));
  world.Add(MakePod("important").Priority(20).HostPort(80).On("n"));
  world.Add(MakePod("other").Priority(1).HostPort(80).On("n"));
  world.Add(MakePod("preemptor").Priority(10).HostPort(80));
  const auto profile = ProfileOf({"NodePorts", "NodeResourcesFit"});
  EXPECT_EQ(PreemptionHarness(world, *profile, "preemptor").Victims("n"), "other");
}

// Three cpus, of which two are used by pods of lower priority; the preempting pod requests two.
struct NominatedCase {
  const char* name;
  std::vector<PodCase> nominated;
  const char* want;
};

class NominatedVictimsTest : public testing::TestWithParam<NominatedCase> {};

TEST_P(NominatedVictimsTest, SelectVictimsOnNode) {
  TestCluster world{NodeWith("n", "3"), Yaml({"one", 1}, "n"), Yaml({"two", 2}, "n"),
                    Yaml({"preemptor", 10, "2"})};
  const Symbol node = world.cluster().nodes().info(world.node("n")).name;
  for (const PodCase& pod : GetParam().nominated) {
    world.Add(Yaml(pod));
    world.cluster().Nominate(world.pod(pod.name), node);
  }
  const auto profile = ProfileOf({"NodeResourcesFit"});
  PreemptionHarness trial(world, *profile, "preemptor");
  const std::string before = Dump(world.cluster());
  EXPECT_EQ(trial.Victims("n"), GetParam().want);
  EXPECT_EQ(Dump(world.cluster()), before);
}

const NominatedCase kNominatedCases[] = {
    {"NoneNeedsOneVictim", {}, "one"},
    {"HigherPriorityNominationsCount", {{"rival", 11}}, "two one"},
    {"EqualPriorityNominationsCount", {{"rival", 10}}, "two one"},
    {"LowerPriorityNominationsDoNot", {{"rival", 9}}, "one"},
    {"TheyMayNeedTooMuch", {{"rival", 11, "2"}}, "Unschedulable: Insufficient cpu"},
    {"SeveralAddUp", {{"rival1", 11}, {"rival2", 11}}, "Unschedulable: Insufficient cpu"},
    {"ThePodItselfIsNotItsRival", {{"preemptor", 10, "2"}}, "one"},
};

INSTANTIATE_TEST_SUITE_P(All, NominatedVictimsTest, testing::ValuesIn(kNominatedCases),
                         [](const auto& c) { return c.param.name; });

// Counts the pods that are added and removed in its cycle state; `pass` computes its verdict from
// the counts.
class Listening final : public framework::PreFilterPlugin, public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "Listening";
  struct Notes final : framework::CycleState {
    int removed = 0, added = 0;
    std::unique_ptr<framework::CycleState> Clone() const override {
      return std::make_unique<Notes>(*this);
    }
  };
  using Pass = std::function<framework::Verdict(const Notes&)>;

  explicit Listening(Pass pass) : pass_(std::move(pass)) {}
  std::string_view name() const override { return kName; }

  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override {
    cycle.SetState(*this, std::make_unique<Notes>());
    return {};
  }
  void PodAdded(framework::Cycle& cycle, const model::PodRecord&, model::NodeRow) const override {
    ++cycle.state<Notes>(*this).added;
  }
  void PodRemoved(framework::Cycle& cycle, const model::PodRecord&, model::NodeRow) const override {
    ++cycle.state<Notes>(*this).removed;
  }
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow) const override {
    return pass_(cycle.state<Notes>(*this));
  }

 private:
  const Pass pass_;
};

std::unique_ptr<framework::Profile> ProfileListening(const Listening::Pass& pass) {
  framework::Registry registry = InTreeRegistry();
  registry.Add("Listening",
               [pass](const framework::PluginArgs&) -> Result<std::unique_ptr<framework::Plugin>> {
                 return std::make_unique<Listening>(pass);
               });
  return ProfileOf({"Listening"}, {}, registry);
}

const framework::Verdict kFull(framework::Code::kUnschedulable, "full");

TEST(Victims, PluginsHearOfThePodsThatComeAndGo) {
  // Passes while at least two pods are off the node.
  const auto profile = ProfileListening([](const Listening::Notes& notes) {
    return notes.removed - notes.added >= 2 ? framework::Verdict() : kFull;
  });
  TestCluster world{NodeWith("n", "9"), Yaml({"one", 1}, "n"), Yaml({"two", 2}, "n"),
                    Yaml({"three", 3}, "n"), Yaml({"preemptor", 10})};
  PreemptionHarness trial(world, *profile, "preemptor");
  EXPECT_EQ(trial.Victims("n"), "two one");

  const auto& listening = dynamic_cast<const framework::Plugin&>(*profile->filter()[0]);
  const auto& notes = trial.attempt().cycle().state<Listening::Notes>(listening);
  EXPECT_EQ(notes.removed, 0) << "the notes are as before";
  EXPECT_EQ(notes.added, 0);
}

TEST(Victims, AnErrorOfAPluginIsPassedOn) {
  const auto profile = ProfileListening([](const Listening::Notes& notes) {
    return notes.removed > 0 ? framework::Verdict::Error("boom") : kFull;
  });
  TestCluster world{NodeWith("n", "9"), Yaml({"one", 1}, "n"), Yaml({"preemptor", 10})};
  PreemptionHarness trial(world, *profile, "preemptor");
  const std::string before = Dump(world.cluster());
  EXPECT_EQ(trial.Victims("n"), "Error: running \"Listening\" filter plugin: boom");
  EXPECT_EQ(Dump(world.cluster()), before);
}

TEST(Victims, APodWhoseReturnMakesAPluginFailDoesNotReturn) {
  const auto profile = ProfileListening([](const Listening::Notes& notes) {
    if (notes.added > 0) return framework::Verdict::Error("boom");
    return notes.removed > 0 ? framework::Verdict() : kFull;
  });
  TestCluster world{NodeWith("n", "9"), Yaml({"one", 1}, "n"), Yaml({"preemptor", 10})};
  PreemptionHarness trial(world, *profile, "preemptor");
  const std::string before = Dump(world.cluster());
  EXPECT_EQ(trial.Victims("n"), "one");
  EXPECT_EQ(Dump(world.cluster()), before);
}

// A rule that changes its mind, so that everyone may stay.
TEST(Victims, NoVictimsAtAllAreAnError) {
  const auto profile = ProfileListening([](const Listening::Notes& notes) {
    return notes.removed > 0 ? framework::Verdict() : kFull;
  });
  TestCluster world{NodeWith("n", "9"), Yaml({"one", 1}, "n"), Yaml({"preemptor", 10})};
  PreemptionHarness trial(world, *profile, "preemptor");
  EXPECT_EQ(trial.Victims("n"), "Error: expected at least one victim pod on node \"n\"");
}

TEST(Victims, ThoseOverBudgetAreNamed) {
  TestCluster world{
      NodeWith("n", "3"),      Yaml({"one", 1}, "n"),  Yaml({"two", 2, "1", -1, kAppWeb}, "n"),
      Yaml({"three", 3}, "n"), Budget("web", kWeb, 0), Yaml({"preemptor", 10, "3"})};
  const auto profile = ProfileOf({"NodeResourcesFit"});
  PreemptionHarness trial(world, *profile, "preemptor");
  framework::Victims victims;
  ASSERT_TRUE(
      SelectVictimsOnNode(trial.attempt(), world.node("n"), PreemptionHarness::kNow, victims).ok());
  EXPECT_EQ(victims.pods.size(), 3u);
  EXPECT_EQ(victims.over_budget, std::vector<model::PodId>{world.pod("two")});
}

struct Candidate {
  std::vector<std::pair<int32_t, int64_t>>
      victims;  // Priority and start in seconds, -1 if not started.
  int64_t violations = 0;
};

struct ChoiceCase {
  const char* name;
  std::vector<Candidate> candidates;
  std::vector<size_t> want;
};

class BestCandidatesTest : public testing::TestWithParam<ChoiceCase> {};

TEST_P(BestCandidatesTest, BestCandidates) {
  TestCluster world;
  std::vector<framework::PreemptionCandidate> candidates;
  for (size_t i = 0; i < GetParam().candidates.size(); ++i) {
    const Candidate& described = GetParam().candidates[i];
    framework::PreemptionCandidate& candidate = candidates.emplace_back();
    candidate.node = model::NodeRow{static_cast<uint32_t>(i)};
    candidate.victims.budget_violations = described.violations;
    for (const auto& [priority, start] : described.victims) {
      const std::string name = fmt::format("p{}-{}", i, candidate.victims.pods.size());
      world.Add(Yaml({name.c_str(), priority, "1", start}));
      candidate.victims.pods.push_back(world.pod(name));
    }
  }
  EXPECT_EQ(BestCandidates(world.cluster(), candidates, PreemptionHarness::kNow), GetParam().want);
}

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();

const ChoiceCase kChoiceCases[] = {
    {"TheOnlyOneIsTheBest", {{{{5, 1}}}}, {0}},
    {"FewestBudgetViolationsBeforeAll", {{{{1, 9}}, 1}, {{{9, 1}, {9, 1}}, 0}}, {1}},
    {"ThenTheLowestHighestPriority", {{{{5, 9}}}, {{{4, 1}, {4, 1}, {4, 1}}}}, {1}},
    {"ThenTheLowestSumOfPriorities", {{{{5, 9}, {3, 9}}}, {{{5, 1}, {2, 1}}}}, {1}},
    {"TheSumGrowsWithEachVictimEvenIfNegative", {{{{5, 9}, {-100, 9}}}, {{{5, 1}}}}, {1}},
    // The lowest priority of all adds nothing to the sum.
    {"ThenTheFewestVictims", {{{{5, 9}, {kLowest, 9}}}, {{{5, 1}}}}, {1}},
    {"ThenTheLatestStart", {{{{5, 10}}}, {{{5, 20}}}, {{{5, 15}}}}, {1}},
    {"OfTheEarliestVictimOfEach", {{{{5, 10}, {5, 40}}}, {{{5, 15}, {5, 16}}}}, {1}},
    {"AmongTheMostImportantVictims", {{{{5, 10}, {1, 1}}}, {{{5, 9}, {1, 50}}}}, {0}},
    {"APodThatHasNotStartedStartsNow", {{{{5, 59}}}, {{{5, -1}}}}, {1}},
    {"EquallyGoodOnesAreAllRetainedInOrder", {{{{5, 9}}}, {{{6, 9}}}, {{{5, 9}}}}, {0, 2}},
    {"ALaterRuleDoesNotBringBackWhatAnEarlierOneDropped",
     {{{{5, 1}}, 0}, {{{1, 50}}, 1}, {{{5, 2}}, 0}},
     {2}},
};

INSTANTIATE_TEST_SUITE_P(All, BestCandidatesTest, testing::ValuesIn(kChoiceCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
