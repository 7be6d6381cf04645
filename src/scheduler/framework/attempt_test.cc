#include "scheduler/framework/attempt.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/framework/scores.h"
#include "testing/cluster_dump.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

constexpr Code kNo = Code::kUnschedulable;
constexpr Code kNever = Code::kUnschedulableAndUnresolvable;

// A filter that says `code` to every node but those named.
std::function<Verdict(const Cycle&, model::NodeRow)> AllBut(Names fine, Code code,
                                                            std::string reason) {
  return [=](const Cycle& cycle, model::NodeRow row) {
    const bool ok = std::ranges::count(fine, cycle.nodes().name(row)) > 0;
    return ok ? Verdict() : Verdict(code, reason);
  };
}

// A score for each node by name; 0 for the others.
std::function<int64_t(const Cycle&, model::NodeRow)> ByName(std::map<std::string, int64_t> scores) {
  return [=](const Cycle& cycle, model::NodeRow row) {
    auto found = scores.find(cycle.nodes().name(row));
    return found == scores.end() ? 0 : found->second;
  };
}

// Counts a node full when it has `limit` pods.
std::function<Verdict(const Cycle&, model::NodeRow)> AtMost(int64_t limit) {
  return [=](const Cycle& cycle, model::NodeRow row) {
    const bool full = cycle.nodes().columns().pod_count[row.index()] >= limit;
    return full ? Verdict(kNo, "full") : Verdict();
  };
}

// Nodes "a", "b" and "c", and a pod "p" that is to be placed.
class AttemptTest : public testing::Test {
 protected:
  AttemptTest() {
    for (const char* name : {"a", "b", "c"}) world_.cluster.Put(MakeNode(name));
    world_.cluster.Put(MakePod("p"));
  }

  const model::PodRecord& Pod(const char* name) {
    return world_.cluster.pod(world_.cluster.pods().Find("default", name));
  }
  // The attempt for "p", created when it is first used: rules are added before.
  Attempt& attempt() {
    if (attempt_ == nullptr) attempt_ = std::make_unique<FakeAttempt>(world_, Pod("p"));
    return attempt_->attempt;
  }
  Names Feasible() { return world_.Names(attempt().feasible()); }
  // Runs PreFilter and Filter, which must both go well, and gives the feasible nodes.
  Names Filtered() {
    EXPECT_TRUE(attempt().PreFilter().ok());
    EXPECT_TRUE(attempt().Filter().ok());
    return Feasible();
  }
  // A PreFilter that restricts the search to these nodes.
  std::function<PreFilterResult(Cycle&)> Only(const Names& nodes) {
    std::vector<Symbol> names;
    for (const std::string& node : nodes) names.push_back(world_.Name(node));
    std::ranges::sort(names);
    return [=](Cycle&) { return PreFilterResult{{}, names}; };
  }
  static std::function<PreFilterResult(Cycle&)> Say(Verdict verdict) {
    return [=](Cycle&) { return PreFilterResult{verdict, {}}; };
  }
  std::string Best() {
    Filtered();
    const Verdict verdict = attempt().Score();
    return verdict.ok() ? world_.NameOf(attempt().Best()) : verdict.Message();
  }

  FakeCluster world_;
  std::unique_ptr<FakeAttempt> attempt_;
};

// --- PreFilter ---

TEST_F(AttemptTest, WithoutRulesEveryNodeIsFeasible) {
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
  EXPECT_FALSE(attempt().restriction().has_value());
}

TEST_F(AttemptTest, PreFilterMayRestrictTheSearch) {
  world_.Add("First", {.pre_filter = Only({"a", "b", "gone"})});
  world_.Add("Second", {.pre_filter = Only({"b", "c", "gone"})});
  EXPECT_EQ(Filtered(), Names({"b"}));
  EXPECT_EQ(world_.Names(attempt().candidates()), Names({"b"}));
  EXPECT_EQ(attempt().restricted_by(), Names({"First", "Second"}));
  EXPECT_EQ(attempt().restriction()->size(), 2u);
}

TEST_F(AttemptTest, EmptyRestrictionRejectsThePod) {
  world_.Add("Picky", {.pre_filter = Only({})});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), kNever);
  EXPECT_EQ(verdict.Message(), "node(s) didn't satisfy plugin Picky");
}

TEST_F(AttemptTest, EmptyIntersectionNamesAllWhoRestrictedSorted) {
  world_.Add("Zed", {.pre_filter = Only({"a", "b"})});
  world_.Add("Mid", {.pre_filter = Only({"b", "c"})});
  world_.Add("Any", {.pre_filter = Only({"c"})});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), kNever);
  EXPECT_EQ(verdict.Message(), "node(s) didn't satisfy plugin(s) [Any Mid Zed] simultaneously");
}

TEST_F(AttemptTest, RejectionByPreFilterEndsTheMatter) {
  bool asked = false;
  world_.Add("Rejecting", {.pre_filter = Say({kNever, "no claim"})});
  world_.Add("Later", {.pre_filter = [&](Cycle&) {
               asked = true;
               return PreFilterResult{};
             }});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict, Verdict(kNever, "no claim").By("Rejecting"));
  EXPECT_FALSE(asked);
  const Diagnosis diagnosis = attempt().Diagnose(verdict);
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: no claim.");
  EXPECT_TRUE(diagnosis.rejected_by.contains("Rejecting"));
  EXPECT_EQ(diagnosis.Of(world_.Row("a")).code(), kNever);
}

TEST_F(AttemptTest, OthersStillPrepareAfterAResolvableRejectionAndTheLastOneCounts) {
  world_.Add("First", {.pre_filter = Say({kNo, "full"})});
  world_.Add("Second", {.pre_filter = Say({kNo, "fuller"})});
  bool asked = false;
  world_.Add("Third", {.pre_filter = [&](Cycle&) {
               asked = true;
               return PreFilterResult{};
             }});
  EXPECT_EQ(attempt().PreFilter(), Verdict(kNo, "fuller").By("Second"));
  EXPECT_TRUE(asked);
}

TEST_F(AttemptTest, ErrorInPreFilterNamesThePlugin) {
  world_.Add("Broken", {.pre_filter = Say(Verdict::Error("disk on fire"))});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), Code::kError);
  EXPECT_EQ(verdict.Message(), "running PreFilter plugin \"Broken\": disk on fire");
}

// --- Filter ---

TEST_F(AttemptTest, SkippedPluginDoesNotFilter) {
  world_.Add("Skipping", {.pre_filter = Say(Verdict::Skip()), .filter = AllBut({}, kNo, "never")});
  world_.Add("Kept", {.pre_filter = Say(Verdict::Skip()),
                      .filter = AllBut({}, kNo, "never"),
                      .filter_scope = Scope::kNode});
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
  EXPECT_TRUE(attempt().FilterNode(world_.Row("a")).ok());
}

TEST_F(AttemptTest, FiltersOfBothScopesWorkTogether) {
  world_.Add("Kept", {.filter = AllBut({"a", "b"}, kNo, "not kept"), .filter_scope = Scope::kNode});
  world_.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "not wide")});
  EXPECT_EQ(Filtered(), Names({"b"}));
}

TEST_F(AttemptTest, ErrorInAFilterNamesThePlugin) {
  world_.Add("Broken", {.filter = AllBut({}, Code::kError, "disk on fire")});
  ASSERT_TRUE(attempt().PreFilter().ok());
  const Verdict verdict = attempt().Filter();
  EXPECT_EQ(verdict.code(), Code::kError);
  EXPECT_EQ(verdict.Message(), "running \"Broken\" filter plugin: disk on fire");
}

TEST_F(AttemptTest, FirstFilterThatObjectsIsNamed) {
  world_.Add("First", {.filter = AllBut({"a"}, kNo, "no cpu")});
  world_.Add("Second", {.filter = AllBut({}, kNever, "wrong zone")});
  EXPECT_EQ(Filtered(), Names());
  EXPECT_EQ(attempt().FilterNode(world_.Row("a")), Verdict(kNever, "wrong zone").By("Second"));
  const Diagnosis diagnosis = attempt().Diagnose({});
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: 1 wrong zone, 2 no cpu.");
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"First", "Second"}));
}

TEST_F(AttemptTest, DiagnosisTellsWhoKeptTheOtherNodesOutSorted) {
  world_.Add("Zed", {.pre_filter = Only({"a", "b"})});
  world_.Add("Any", {.pre_filter = Only({"a"}), .filter = AllBut({}, kNo, "full")});
  EXPECT_EQ(Filtered(), Names());
  const Diagnosis diagnosis = attempt().Diagnose({});
  EXPECT_EQ(diagnosis.Message(),
            "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [Any Zed].");
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"Any", "Zed"}));
}

// --- nominated pods ---

TEST_F(AttemptTest, RoomPromisedToAnImportantPodIsTaken) {
  world_.Add("Room", {.filter = AtMost(1), .filter_scope = Scope::kNode});
  world_.cluster.Put(MakePod("rival").Priority(0));
  world_.cluster.Nominate(Pod("rival").id, world_.Name("b"));
  const std::string before = Dump(world_.cluster);
  EXPECT_EQ(Filtered(), Names({"a", "c"}));
  EXPECT_EQ(attempt().FilterNode(world_.Row("b")).Message(), "full");
  EXPECT_EQ(Dump(world_.cluster), before);
}

TEST_F(AttemptTest, RoomPromisedToALesserPodIsFree) {
  world_.Add("Room", {.filter = AtMost(1)});
  world_.cluster.Put(MakePod("p").Priority(5));
  world_.cluster.Put(MakePod("lesser").Priority(4));
  world_.cluster.Nominate(Pod("lesser").id, world_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
}

TEST_F(AttemptTest, PodIsNoRivalOfItself) {
  world_.Add("Room", {.filter = AtMost(1)});
  world_.cluster.Nominate(Pod("p").id, world_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
}

// A node must do with the nominated pods on it and without them: they may never come.
TEST_F(AttemptTest, NodeIsJudgedWithItsNominatedPodsAndWithoutThem) {
  Rule wants_company;
  wants_company.filter = [](const Cycle& cycle, model::NodeRow row) {
    const bool company = cycle.nodes().columns().pod_count[row.index()] > 0;
    return company ? Verdict() : Verdict(kNo, "lonely");
  };
  world_.Add("Company", wants_company);
  world_.cluster.Put(MakePod("rival"));
  world_.cluster.Put(MakePod("there").On("c"));
  world_.cluster.Nominate(Pod("rival").id, world_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"c"}));
  EXPECT_EQ(attempt().FilterNode(world_.Row("b")).Message(), "lonely");
}

struct Notes final : CycleState {
  int added = 0;
  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<Notes>(*this); }
};

TEST_F(AttemptTest, PluginsHearOfPodsThatAreTriedOutAndTheirNotesArePutBack) {
  Rule rule;
  const auto notes = std::make_shared<std::vector<int>>();  // What each question found.
  // States are stored by slot; a plain plugin of slot 0 stands for the rule.
  auto note = [this](auto& cycle) -> auto& {
    return cycle.template state<Notes>(*world_.profile().plugins()[0]);
  };
  rule.pre_filter = [this](Cycle& cycle) {
    cycle.SetState(*world_.profile().plugins()[0], std::make_unique<Notes>());
    return PreFilterResult{};
  };
  rule.pod_added = [=](Cycle& cycle, const model::PodRecord&, model::NodeRow) {
    ++note(cycle).added;
  };
  rule.filter = [=](const Cycle& cycle, model::NodeRow row) {
    if (cycle.nodes().name(row) == "b") notes->push_back(note(cycle).added);
    return Verdict();
  };
  world_.Add("Noting", rule);
  world_.cluster.Put(MakePod("rival"));
  world_.cluster.Nominate(Pod("rival").id, world_.Name("b"));
  Filtered();
  // Asked with all nodes, then with the rival on "b", then without it.
  EXPECT_EQ(*notes, std::vector<int>({0, 1, 0}));
}

// --- Score ---

TEST_F(AttemptTest, HighestTotalWins) {
  world_.Add("Light", {.score = ByName({{"a", 60}, {"b", 10}}), .score_scope = Scope::kNode}, 1);
  world_.Add("Heavy", {.score = ByName({{"a", 0}, {"b", 30}}), .score_scope = Scope::kNode}, 3);
  EXPECT_EQ(Best(), "b");
}

TEST_F(AttemptTest, AmongEqualsTheFirstInNodeOrderWins) {
  world_.Add("Equal", {.score = ByName({{"b", 7}, {"c", 7}}), .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "b");
}

TEST_F(AttemptTest, NodeOrderTakesZonesInTurn) {
  world_.cluster.Put(MakeNode("a").Zone("east"));
  world_.cluster.Put(MakeNode("b").Zone("east"));
  world_.cluster.Put(MakeNode("c").Zone("west"));
  world_.Add("Equal", {.score = ByName({{"b", 7}, {"c", 7}})});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, InfeasibleNodesAreNotChosenHoweverGood) {
  world_.Add("Kept", {.filter = AllBut({"b", "c"}, kNo, "no"),
                      .filter_scope = Scope::kNode,
                      .score = ByName({{"a", 100}, {"c", 5}}),
                      .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, KeptScoresServeASmallerFeasibleSet) {
  world_.Add("Kept", {.score = ByName({{"a", 100}, {"c", 5}}), .score_scope = Scope::kNode});
  world_.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "no")});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, RowsWithoutANodeDoNoHarm) {
  world_.cluster.Put(MakePod("elsewhere").On("unseen"));
  world_.Add("Equal", {.score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "a");
}

TEST_F(AttemptTest, ScoresAreNormalizedOverTheFeasibleNodes) {
  Rule raw{.score = ByName({{"a", 1000}, {"b", 10}, {"c", 5}}),
           .normalize = [](const model::NodeMask& feasible, std::span<int64_t> s) {
             DefaultNormalize(feasible, false, s);
           }};
  for (Scope scope : {Scope::kNode, Scope::kCluster}) {
    FakeCluster world;
    for (const char* name : {"a", "b", "c"}) world.cluster.Put(MakeNode(name));
    world.cluster.Put(MakePod("p"));
    raw.score_scope = scope;
    world.Add("Raw", raw, 2);
    world.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "no"), .score = ByName({{"c", 100}})});
    FakeAttempt attempt(world, world.cluster.pod(world.cluster.pods().Find("default", "p")));
    ASSERT_TRUE(attempt->PreFilter().ok());
    ASSERT_TRUE(attempt->Filter().ok());
    Attempt::ScoreTable table;
    ASSERT_TRUE(attempt->ScoreInDetail(table).ok());
    ASSERT_EQ(table.plugins.size(), 2u);
    EXPECT_EQ(table.plugins[0].plugin, "Raw");
    EXPECT_EQ(table.plugins[0].scores[world.Row("b").index()], 200);
    EXPECT_EQ(table.plugins[0].scores[world.Row("c").index()], 100);
    EXPECT_EQ(table.totals[world.Row("b").index()], 200);
    EXPECT_EQ(table.totals[world.Row("c").index()], 200);
    ASSERT_TRUE(attempt->Score().ok());
    EXPECT_EQ(world.NameOf(attempt->Best()), "b");
  }
}

TEST_F(AttemptTest, SkippedScoreDoesNotCount) {
  const auto skip = [](Cycle&, const model::NodeMask&) { return Verdict::Skip(); };
  world_.Add("Wide", {.pre_score = skip, .score = ByName({{"b", 100}})});
  world_.Add("Kept",
             {.pre_score = skip, .score = ByName({{"c", 100}}), .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "a");
  Attempt::ScoreTable table;
  ASSERT_TRUE(attempt().ScoreInDetail(table).ok());
  EXPECT_TRUE(table.plugins.empty());
}

TEST_F(AttemptTest, PreScoreSeesTheFeasibleNodesAndItsErrorsNameIt) {
  Names seen;
  world_.Add("Looking", {.filter = AllBut({"a", "c"}, kNo, "no"),
                         .pre_score = [&](Cycle&, const model::NodeMask& feasible) {
                           seen = world_.Names(feasible);
                           return Verdict::Error("disk on fire");
                         }});
  EXPECT_EQ(Best(), "running PreScore plugin \"Looking\": disk on fire");
  EXPECT_EQ(seen, Names({"a", "c"}));
}

struct InvalidCase {
  const char* name;
  Scope scope;
  bool normalizes;
  int64_t score;
};

TEST_F(AttemptTest, ScoreOutOfRangeIsAnErrorHoweverItIsKept) {
  const InvalidCase cases[] = {
      {"KeptTooHigh", Scope::kNode, false, 101},
      {"KeptTooLow", Scope::kNode, false, -1},
      {"WideTooHigh", Scope::kCluster, false, 101},
      {"WideTooLow", Scope::kCluster, false, -1},
      {"WideNormalized", Scope::kCluster, true, 101},
      {"KeptNormalizedAndEqual", Scope::kNode, true, 101},
  };
  for (const InvalidCase& c : cases) {
    SCOPED_TRACE(c.name);
    FakeCluster world;
    for (const char* name : {"a", "b"}) world.cluster.Put(MakeNode(name));
    world.cluster.Put(MakePod("p"));
    Rule rule{.score = [=](const Cycle&, model::NodeRow) { return c.score; },
              .score_scope = c.scope};
    if (c.normalizes) rule.normalize = [](const model::NodeMask&, std::span<int64_t>) {};
    world.Add("Odd", rule);
    FakeAttempt attempt(world, world.cluster.pod(world.cluster.pods().Find("default", "p")));
    ASSERT_TRUE(attempt->PreFilter().ok());
    ASSERT_TRUE(attempt->Filter().ok());
    EXPECT_EQ(attempt->Score().Message(),
              "applying score defaultWeights on Score plugins: plugin \"Odd\" returns an invalid "
              "score " +
                  std::to_string(c.score) +
                  ", it should in the range of [0, 100] after normalizing");
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
