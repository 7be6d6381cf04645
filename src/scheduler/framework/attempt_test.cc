#include "scheduler/framework/attempt.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// A filter that returns `code` for every node except those named.
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
    for (const char* name : {"a", "b", "c"}) fake_.cluster.Put(MakeNode(name));
    fake_.cluster.Put(MakePod("p"));
  }

  const model::PodRecord& Pod(const char* name) {
    return fake_.cluster.pod(fake_.cluster.pods().Find("default", name));
  }
  // The attempt for "p", created when it is first used: rules are added before.
  Attempt& attempt() {
    if (attempt_ == nullptr) attempt_ = std::make_unique<FakeAttempt>(fake_, Pod("p"));
    return attempt_->attempt;
  }
  Names Feasible() { return fake_.Names(attempt().feasible()); }
  // Runs PreFilter and Filter, which must both go well, and gives the feasible nodes.
  Names Filtered() {
    EXPECT_TRUE(attempt().PreFilter().ok());
    EXPECT_TRUE(attempt().Filter().ok());
    return Feasible();
  }
  // A PreFilter that restricts the search to these nodes.
  std::function<PreFilterResult(Cycle&)> Only(const Names& nodes) {
    std::vector<Symbol> names;
    for (const std::string& node : nodes) names.push_back(fake_.Name(node));
    std::ranges::sort(names);
    return [=](Cycle&) { return PreFilterResult{{}, names}; };
  }
  static std::function<PreFilterResult(Cycle&)> Say(Verdict verdict) {
    return [=](Cycle&) { return PreFilterResult{verdict, {}}; };
  }
  std::string Best() {
    Filtered();
    const Verdict verdict = attempt().Score();
    return verdict.ok() ? fake_.NameOf(attempt().Best()) : verdict.Message();
  }

  FakeCluster fake_;
  std::unique_ptr<FakeAttempt> attempt_;
};

// --- PreFilter ---

TEST_F(AttemptTest, WithoutRulesEveryNodeIsFeasible) {
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
  EXPECT_FALSE(attempt().restriction().has_value());
}

TEST_F(AttemptTest, PreFilterMayRestrictTheSearch) {
  fake_.Add("First", {.pre_filter = Only({"a", "b", "gone"})});
  fake_.Add("Second", {.pre_filter = Only({"b", "c", "gone"})});
  EXPECT_EQ(Filtered(), Names({"b"}));
  EXPECT_EQ(fake_.Names(attempt().candidates()), Names({"b"}));
  EXPECT_EQ(attempt().restricted_by(), Names({"First", "Second"}));
  EXPECT_EQ(attempt().restriction()->size(), 2u);
}

TEST_F(AttemptTest, OnlyTheNodesOfASmallRestrictionAreEvaluated) {
  Names filtered, scored;
  Rule rule{.pre_filter = Only({"a", "b"})};
  rule.reads = Reads::kNode;
  rule.score_scope = Scope::kNode;
  rule.filter = [&](const Cycle& cycle, model::NodeRow row) {
    filtered.push_back(cycle.nodes().name(row));
    return Verdict();
  };
  rule.score = [&](const Cycle& cycle, model::NodeRow row) {
    scored.push_back(cycle.nodes().name(row));
    return int64_t{cycle.nodes().name(row) == "b"};
  };
  fake_.Add("Picky", rule);
  EXPECT_EQ(Best(), "b");
  EXPECT_EQ(filtered, Names({"a", "b"}));
  EXPECT_EQ(scored, Names({"a", "b"}));
  std::vector<ScoredNode> ranked(2);
  ASSERT_EQ(attempt().Rank(ranked), 1u);
  EXPECT_EQ(fake_.NameOf(ranked[0].node), "b");
  EXPECT_EQ(ranked[0].score, 1);
}

TEST_F(AttemptTest, DiagnosisOfASmallRestrictionExplainsItsNodes) {
  Rule rule{.pre_filter = Only({"a", "b"}), .filter = AllBut({}, kNo, "too small")};
  rule.reads = Reads::kNode;
  fake_.Add("Picky", rule);
  EXPECT_EQ(Filtered(), Names());
  EXPECT_EQ(attempt().Diagnose({}).Message(),
            "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [Picky], 2 too small.");
}

TEST_F(AttemptTest, EmptyRestrictionRejectsThePod) {
  fake_.Add("Picky", {.pre_filter = Only({})});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), kNever);
  EXPECT_EQ(verdict.Message(), "node(s) didn't satisfy plugin Picky");
}

TEST_F(AttemptTest, EmptyIntersectionNamesTheRestrictingPluginsSorted) {
  fake_.Add("Zed", {.pre_filter = Only({"a", "b"})});
  fake_.Add("Mid", {.pre_filter = Only({"b", "c"})});
  fake_.Add("Any", {.pre_filter = Only({"c"})});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), kNever);
  EXPECT_EQ(verdict.Message(), "node(s) didn't satisfy plugin(s) [Any Mid Zed] simultaneously");
}

TEST_F(AttemptTest, RejectionByPreFilterEndsTheAttempt) {
  bool called = false;
  fake_.Add("Rejecting", {.pre_filter = Say({kNever, "no claim"})});
  fake_.Add("Later", {.pre_filter = [&](Cycle&) {
              called = true;
              return PreFilterResult{};
            }});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict, Verdict(kNever, "no claim").By("Rejecting"));
  EXPECT_FALSE(called);
  const Diagnosis diagnosis = attempt().Diagnose(verdict);
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: no claim.");
  EXPECT_TRUE(diagnosis.rejected_by.contains("Rejecting"));
  EXPECT_EQ(diagnosis.Of(fake_.Row("a")).code(), kNever);
}

TEST_F(AttemptTest, PreFilterContinuesAfterAResolvableRejectionAndTheLastOneCounts) {
  fake_.Add("First", {.pre_filter = Say({kNo, "full"})});
  fake_.Add("Second", {.pre_filter = Say({kNo, "fuller"})});
  bool called = false;
  fake_.Add("Third", {.pre_filter = [&](Cycle&) {
              called = true;
              return PreFilterResult{};
            }});
  EXPECT_EQ(attempt().PreFilter(), Verdict(kNo, "fuller").By("Second"));
  EXPECT_TRUE(called);
}

TEST_F(AttemptTest, ErrorInPreFilterNamesThePlugin) {
  fake_.Add("Broken", {.pre_filter = Say(Verdict::Error("disk on fire"))});
  const Verdict verdict = attempt().PreFilter();
  EXPECT_EQ(verdict.code(), Code::kError);
  EXPECT_EQ(verdict.Message(), "running PreFilter plugin \"Broken\": disk on fire");
}

// --- Filter ---

TEST_F(AttemptTest, SkippedPluginDoesNotFilter) {
  fake_.Add("Skipping", {.pre_filter = Say(Verdict::Skip()), .filter = AllBut({}, kNo, "never")});
  fake_.Add("NodeScoped", {.pre_filter = Say(Verdict::Skip()),
                           .filter = AllBut({}, kNo, "never"),
                           .reads = Reads::kNode});
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
  EXPECT_TRUE(attempt().FilterNode(fake_.Row("a")).ok());
}

TEST_F(AttemptTest, FiltersOfBothScopesWorkTogether) {
  fake_.Add("NodeScoped",
            {.filter = AllBut({"a", "b"}, kNo, "not node-scoped"), .reads = Reads::kNode});
  fake_.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "not wide")});
  EXPECT_EQ(Filtered(), Names({"b"}));
}

TEST_F(AttemptTest, ErrorInAFilterNamesThePlugin) {
  fake_.Add("Broken", {.filter = AllBut({}, Code::kError, "disk on fire")});
  ASSERT_TRUE(attempt().PreFilter().ok());
  const Verdict verdict = attempt().Filter();
  EXPECT_EQ(verdict.code(), Code::kError);
  EXPECT_EQ(verdict.Message(), "running \"Broken\" filter plugin: disk on fire");
}

TEST_F(AttemptTest, FirstRejectingFilterIsNamed) {
  fake_.Add("First", {.filter = AllBut({"a"}, kNo, "no cpu")});
  fake_.Add("Second", {.filter = AllBut({}, kNever, "wrong zone")});
  EXPECT_EQ(Filtered(), Names());
  EXPECT_EQ(attempt().FilterNode(fake_.Row("a")), Verdict(kNever, "wrong zone").By("Second"));
  const Diagnosis diagnosis = attempt().Diagnose({});
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: 1 wrong zone, 2 no cpu.");
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"First", "Second"}));
}

TEST_F(AttemptTest, DiagnosisListsTheRejectingPluginsSorted) {
  fake_.Add("Zed", {.pre_filter = Only({"a", "b"})});
  fake_.Add("Any", {.pre_filter = Only({"a"}), .filter = AllBut({}, kNo, "full")});
  EXPECT_EQ(Filtered(), Names());
  const Diagnosis diagnosis = attempt().Diagnose({});
  EXPECT_EQ(diagnosis.Message(),
            "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [Any Zed].");
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"Any", "Zed"}));
}

// --- nominated pods ---

TEST_F(AttemptTest, CapacityNominatedToAHigherPriorityPodIsTaken) {
  fake_.Add("Capacity", {.filter = AtMost(1), .reads = Reads::kNode});
  fake_.cluster.Put(MakePod("rival").Priority(0));
  fake_.cluster.Nominate(Pod("rival").id, fake_.Name("b"));
  const std::string before = Dump(fake_.cluster);
  EXPECT_EQ(Filtered(), Names({"a", "c"}));
  EXPECT_EQ(attempt().FilterNode(fake_.Row("b")).Message(), "full");
  EXPECT_EQ(Dump(fake_.cluster), before);
}

TEST_F(AttemptTest, CapacityNominatedToALowerPriorityPodIsFree) {
  fake_.Add("Capacity", {.filter = AtMost(1)});
  fake_.cluster.Put(MakePod("p").Priority(5));
  fake_.cluster.Put(MakePod("lesser").Priority(4));
  fake_.cluster.Nominate(Pod("lesser").id, fake_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
}

TEST_F(AttemptTest, PodIsNotCountedAgainstItself) {
  fake_.Add("Capacity", {.filter = AtMost(1)});
  fake_.cluster.Nominate(Pod("p").id, fake_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"a", "b", "c"}));
}

// A node must do with the nominated pods on it and without them: they may never come.
TEST_F(AttemptTest, NodeIsFilteredWithAndWithoutItsNominatedPods) {
  Rule wants_company;
  wants_company.filter = [](const Cycle& cycle, model::NodeRow row) {
    const bool company = cycle.nodes().columns().pod_count[row.index()] > 0;
    return company ? Verdict() : Verdict(kNo, "lonely");
  };
  fake_.Add("Company", wants_company);
  fake_.cluster.Put(MakePod("rival"));
  fake_.cluster.Put(MakePod("there").On("c"));
  fake_.cluster.Nominate(Pod("rival").id, fake_.Name("b"));
  EXPECT_EQ(Filtered(), Names({"c"}));
  EXPECT_EQ(attempt().FilterNode(fake_.Row("b")).Message(), "lonely");
}

struct Notes final : CycleState {
  int added = 0;
  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<Notes>(*this); }
};

TEST_F(AttemptTest, PluginsAreNotifiedOfAddedPodsAndTheirCycleStateIsRestored) {
  Rule rule;
  const auto notes = std::make_shared<std::vector<int>>();  // What each question found.
  // States are stored by slot; a plain plugin of slot 0 stands for the rule.
  auto note = [this](auto& cycle) -> auto& {
    return cycle.template state<Notes>(*fake_.profile().plugins()[0]);
  };
  rule.pre_filter = [this](Cycle& cycle) {
    cycle.SetState(*fake_.profile().plugins()[0], std::make_unique<Notes>());
    return PreFilterResult{};
  };
  rule.pod_added = [=](Cycle& cycle, const model::PodRecord&, model::NodeRow) {
    ++note(cycle).added;
  };
  rule.filter = [=](const Cycle& cycle, model::NodeRow row) {
    if (cycle.nodes().name(row) == "b") notes->push_back(note(cycle).added);
    return Verdict();
  };
  fake_.Add("Noting", rule);
  fake_.cluster.Put(MakePod("rival"));
  fake_.cluster.Nominate(Pod("rival").id, fake_.Name("b"));
  Filtered();
  // Called with all nodes, then with the rival on "b", then without it.
  EXPECT_EQ(*notes, std::vector<int>({0, 1, 0}));
}

// --- Score ---

TEST_F(AttemptTest, HighestTotalWins) {
  fake_.Add("Light", {.score = ByName({{"a", 60}, {"b", 10}}), .score_scope = Scope::kNode}, 1);
  fake_.Add("Heavy", {.score = ByName({{"a", 0}, {"b", 30}}), .score_scope = Scope::kNode}, 3);
  EXPECT_EQ(Best(), "b");
}

TEST_F(AttemptTest, AmongEqualsTheFirstInNodeOrderWins) {
  fake_.Add("Equal", {.score = ByName({{"b", 7}, {"c", 7}}), .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "b");
}

TEST_F(AttemptTest, NodeOrderTakesZonesInTurn) {
  fake_.cluster.Put(MakeNode("a").Zone("east"));
  fake_.cluster.Put(MakeNode("b").Zone("east"));
  fake_.cluster.Put(MakeNode("c").Zone("west"));
  fake_.Add("Equal", {.score = ByName({{"b", 7}, {"c", 7}})});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, InfeasibleNodesAreNotChosenHoweverGood) {
  fake_.Add("NodeScoped", {.filter = AllBut({"b", "c"}, kNo, "no"),
                           .reads = Reads::kNode,
                           .score = ByName({{"a", 100}, {"c", 5}}),
                           .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, CachedScoresServeASmallerFeasibleSet) {
  fake_.Add("NodeScoped", {.score = ByName({{"a", 100}, {"c", 5}}), .score_scope = Scope::kNode});
  fake_.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "no")});
  EXPECT_EQ(Best(), "c");
}

TEST_F(AttemptTest, RowsWithoutANodeAreIgnored) {
  fake_.cluster.Put(MakePod("elsewhere").On("unseen"));
  fake_.Add("Equal", {.score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "a");
}

TEST_F(AttemptTest, ScoresAreNormalizedOverTheFeasibleNodes) {
  Rule raw{.score = ByName({{"a", 1000}, {"b", 10}, {"c", 5}}),
           .normalize = [](const model::NodeMask& feasible, std::span<int64_t> s) {
             DefaultNormalize(feasible, false, s);
           }};
  for (Scope scope : {Scope::kNode, Scope::kCluster}) {
    FakeCluster fake;
    for (const char* name : {"a", "b", "c"}) fake.cluster.Put(MakeNode(name));
    fake.cluster.Put(MakePod("p"));
    raw.score_scope = scope;
    fake.Add("Raw", raw, 2);
    fake.Add("Wide", {.filter = AllBut({"b", "c"}, kNo, "no"), .score = ByName({{"c", 100}})});
    FakeAttempt attempt(fake, fake.cluster.pod(fake.cluster.pods().Find("default", "p")));
    ASSERT_TRUE(attempt->PreFilter().ok());
    ASSERT_TRUE(attempt->Filter().ok());
    Attempt::ScoreTable table;
    ASSERT_TRUE(attempt->ScoreInDetail(table).ok());
    ASSERT_EQ(table.plugins.size(), 2u);
    EXPECT_EQ(table.plugins[0].plugin, "Raw");
    EXPECT_EQ(table.plugins[0].scores[fake.Row("b").index()], 200);
    EXPECT_EQ(table.plugins[0].scores[fake.Row("c").index()], 100);
    EXPECT_EQ(table.totals[fake.Row("b").index()], 200);
    EXPECT_EQ(table.totals[fake.Row("c").index()], 200);
    ASSERT_TRUE(attempt->Score().ok());
    EXPECT_EQ(fake.NameOf(attempt->Best()), "b");
  }
}

TEST_F(AttemptTest, NodesAreRankedInEveryScope) {
  for (Scope scope : {Scope::kNode, Scope::kCluster}) {
    FakeCluster fake;
    for (const char* name : {"a", "b", "c", "d"}) fake.cluster.Put(MakeNode(name));
    fake.cluster.Put(MakePod("p"));
    fake.Add("Score",
             {.filter = AllBut({"a", "b", "c"}, kNo, "no"),
              .reads = Reads::kNode,
              .score = ByName({{"a", 10}, {"b", 30}, {"c", 20}, {"d", 100}}),
              .score_scope = scope},
             2);
    // All nodes alike: not compared, but part of the totals.
    fake.Add("Even", {.score = [](const Cycle&, model::NodeRow) { return int64_t{7}; },
                      .normalize = [](const model::NodeMask&, std::span<int64_t>) {},
                      .score_scope = scope});
    FakeAttempt attempt(fake, fake.cluster.pod(fake.cluster.pods().Find("default", "p")));
    std::vector<ScoredNode> ranked(5);
    EXPECT_EQ(attempt->Rank(ranked), 0u) << "nothing is scored";
    ASSERT_TRUE(attempt->PreFilter().ok());
    ASSERT_TRUE(attempt->Filter().ok());
    ASSERT_TRUE(attempt->Score().ok());
    EXPECT_EQ(attempt->rank_reads_all_rows(), scope == Scope::kCluster);
    for (size_t limit : {1, 2, 3, 4, 3}) {
      const size_t count = attempt->Rank(std::span(ranked).first(limit));
      EXPECT_EQ(count, std::min<size_t>(limit, 3));
      std::string text;
      for (size_t i = 0; i < count; ++i)
        text += fmt::format("{} {} ", fake.NameOf(ranked[i].node), ranked[i].score);
      EXPECT_EQ(text, std::string("b 67 c 47 a 27 ").substr(0, 5 * count));
    }
  }
}

TEST_F(AttemptTest, SkippedScoreDoesNotCount) {
  const auto skip = [](Cycle&, const model::NodeMask&) { return Verdict::Skip(); };
  fake_.Add("Wide", {.pre_score = skip, .score = ByName({{"b", 100}})});
  fake_.Add("NodeScoped",
            {.pre_score = skip, .score = ByName({{"c", 100}}), .score_scope = Scope::kNode});
  EXPECT_EQ(Best(), "a");
  Attempt::ScoreTable table;
  ASSERT_TRUE(attempt().ScoreInDetail(table).ok());
  EXPECT_TRUE(table.plugins.empty());
}

TEST_F(AttemptTest, PreScoreSeesTheFeasibleNodesAndItsErrorsNameIt) {
  Names seen;
  fake_.Add("Looking", {.filter = AllBut({"a", "c"}, kNo, "no"),
                        .pre_score = [&](Cycle&, const model::NodeMask& feasible) {
                          seen = fake_.Names(feasible);
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

TEST_F(AttemptTest, ScoreOutOfRangeIsAnErrorInEveryScope) {
  const InvalidCase cases[] = {
      {"NodeScopedTooHigh", Scope::kNode, false, 101},
      {"NodeScopedTooLow", Scope::kNode, false, -1},
      {"WideTooHigh", Scope::kCluster, false, 101},
      {"WideTooLow", Scope::kCluster, false, -1},
      {"WideNormalized", Scope::kCluster, true, 101},
      {"NodeScopedNormalizedAndEqual", Scope::kNode, true, 101},
  };
  for (const InvalidCase& c : cases) {
    SCOPED_TRACE(c.name);
    FakeCluster fake;
    for (const char* name : {"a", "b"}) fake.cluster.Put(MakeNode(name));
    fake.cluster.Put(MakePod("p"));
    Rule rule{.score = [=](const Cycle&, model::NodeRow) { return c.score; },
              .score_scope = c.scope};
    if (c.normalizes) rule.normalize = [](const model::NodeMask&, std::span<int64_t>) {};
    fake.Add("Odd", rule);
    FakeAttempt attempt(fake, fake.cluster.pod(fake.cluster.pods().Find("default", "p")));
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
