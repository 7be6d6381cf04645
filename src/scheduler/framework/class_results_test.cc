#include "scheduler/framework/class_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/workers.h"
#include "scheduler/framework/scores.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

// Nodes are judged by their cpu: thousandths, the last two digits of which the rules look at.
int64_t Cpu(const Cycle& cycle, model::NodeRow row) {
  return cycle.nodes().columns().allocatable_cpu[row.index()];
}

// A cluster with one rule that records its calls.
class ClassResultsTest : public testing::Test {
 protected:
  struct Calls {
    Names filter, score;
  };

  // Filters out nodes with an odd number of thousandths, and scores by the last two digits.
  Rule CountingRule() {
    Rule rule;
    rule.reads = Reads::kNode;
    rule.score_scope = Scope::kNode;
    rule.filter = [this](const Cycle& cycle, model::NodeRow row) {
      calls_->filter.push_back(cycle.nodes().name(row));
      return Cpu(cycle, row) % 2 == 0 ? Verdict() : Verdict(Code::kUnschedulable, "odd");
    };
    rule.score = [this](const Cycle& cycle, model::NodeRow row) {
      calls_->score.push_back(cycle.nodes().name(row));
      return Cpu(cycle, row) % 100;
    };
    rule.score_epoch = [this](const model::Cluster&) { return epoch_; };
    return rule;
  }

  void PutNode(const std::string& name, int64_t milli_cpu) {
    fake_.cluster.Put(MakeNode(name).Cpu(std::to_string(milli_cpu) + "m"));
  }

  void Start() {
    fake_.cluster.Put(MakePod("p"));
    pod_ = &fake_.cluster.pod(fake_.cluster.pods().Find("default", "p"));
    results_ = std::make_unique<ClassResults>(fake_.profile(), fake_.cluster,
                                              fake_.cluster.class_of(*pod_));
  }
  Cycle NewCycle() { return Cycle(fake_.cluster, *pod_, results_->compiled()); }

  // Refreshes both and returns the nodes that were evaluated, by name.
  Calls Refresh(PluginMask skipped = 0) {
    *calls_ = {};
    const Cycle cycle = NewCycle();
    EXPECT_TRUE(results_->RefreshFilters(cycle, skipped).ok());
    EXPECT_TRUE(results_->RefreshScores(cycle, skipped).ok());
    std::ranges::sort(calls_->filter);
    std::ranges::sort(calls_->score);
    return *calls_;
  }
  int32_t Total(const char* node) { return results_->totals()[fake_.Row(node).index()]; }

  FakeCluster fake_;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  uint64_t epoch_ = 0;
  const model::PodRecord* pod_ = nullptr;
  std::unique_ptr<ClassResults> results_;
};

TEST_F(ClassResultsTest, OnlyChangedRowsAreRecomputed) {
  fake_.Add("Counting", CountingRule(), 2);
  PutNode("a", 1010);
  PutNode("b", 1021);
  PutNode("c", 1030);
  Start();

  Calls calls = Refresh();
  EXPECT_EQ(calls.filter, Names({"a", "b", "c"}));
  EXPECT_EQ(calls.score, Names({"a", "c"}));
  EXPECT_EQ(fake_.Names(results_->feasible()), Names({"a", "c"}));
  EXPECT_EQ(Total("a"), 20);
  EXPECT_EQ(Total("b"), -1);
  EXPECT_EQ(Total("c"), 60);

  calls = Refresh();
  EXPECT_EQ(calls.filter, Names());
  EXPECT_EQ(calls.score, Names());

  PutNode("b", 1044);
  PutNode("b", 1042);  // Changed twice, evaluated once.
  calls = Refresh();
  EXPECT_EQ(calls.filter, Names({"b"}));
  EXPECT_EQ(calls.score, Names({"b"}));
  EXPECT_EQ(Total("b"), 84);

  PutNode("a", 1011);
  PutNode("d", 1050);
  calls = Refresh();
  EXPECT_EQ(calls.filter, Names({"a", "d"}));
  EXPECT_EQ(calls.score, Names({"d"}));
  EXPECT_EQ(Total("a"), -1);
  EXPECT_EQ(Total("d"), 100);
}

TEST_F(ClassResultsTest, AreAlmostCurrentIfFewRowsChangedOrTheClassIsAskedForOften) {
  fake_.Add("Counting", CountingRule());
  PutNode("a", 100);
  Start();
  EXPECT_FALSE(results_->AreAlmostCurrent(fake_.cluster.nodes()));
  for (int i = 0; i < 255; ++i) results_->AreAlmostCurrent(fake_.cluster.nodes());
  EXPECT_TRUE(results_->AreAlmostCurrent(fake_.cluster.nodes()));
  Refresh();
  for (int i = 0; i < 16; ++i) PutNode("a", 100 + i);
  EXPECT_TRUE(results_->AreAlmostCurrent(fake_.cluster.nodes()));
  for (int i = 0; i < 30; ++i) PutNode("a", 100 + i);
  EXPECT_FALSE(results_->AreAlmostCurrent(fake_.cluster.nodes()));
}

TEST_F(ClassResultsTest, RemovedNodesAreNotEvaluated) {
  fake_.Add("Counting", CountingRule());
  PutNode("a", 1010);
  PutNode("b", 1020);
  Start();
  Refresh();
  const model::NodeRow b = fake_.Row("b");
  fake_.cluster.Remove<api::Node>({"", "b"});
  EXPECT_EQ(Refresh().filter, Names());
  EXPECT_EQ(fake_.Names(results_->feasible()), Names({"a"}));
  EXPECT_EQ(results_->totals()[b.index()], -1);
}

TEST_F(ClassResultsTest, NewEpochRecomputesAllScores) {
  fake_.Add("Counting", CountingRule());
  PutNode("a", 1010);
  PutNode("b", 1020);
  PutNode("c", 1031);
  Start();
  Refresh();
  epoch_ = 1;
  const Calls calls = Refresh();
  EXPECT_EQ(calls.filter, Names());
  EXPECT_EQ(calls.score, Names({"a", "b"}));
}

TEST_F(ClassResultsTest, LaggingReaderRecomputesAllRows) {
  fake_.Add("Counting", CountingRule());
  PutNode("a", 1010);
  PutNode("b", 1020);
  Start();
  Refresh();
  for (int i = 0; i < 3000; ++i) PutNode("a", 1010 + i % 2);
  EXPECT_EQ(Refresh().filter, Names({"a", "b"}));
}

TEST_F(ClassResultsTest, SkippedPluginsAreNotCalled) {
  fake_.Add("Counting", CountingRule());
  PutNode("a", 1011);
  Start();
  const Calls calls = Refresh(/*skipped=*/1);
  EXPECT_EQ(calls.filter, Names());
  EXPECT_EQ(calls.score, Names());
  EXPECT_EQ(fake_.Names(results_->feasible()), Names({"a"}));
  EXPECT_EQ(Total("a"), 0);
}

TEST_F(ClassResultsTest, CachesTheFiltersBeforeTheFirstThatIsNotNodeScoped) {
  Rule node_scoped;
  node_scoped.reads = Reads::kNode;
  fake_.Add("First", node_scoped);
  fake_.Add("Second", node_scoped);
  fake_.Add("Wide", Rule());
  fake_.Add("Late", node_scoped);
  EXPECT_EQ(ClassResults::CachedFilters(fake_.profile()), 2u);
}

TEST_F(ClassResultsTest, FilterThatFailedIsCalledForAllNodesNextTime) {
  bool broken = false;
  Rule rule = CountingRule();
  rule.filter = [&, judge = rule.filter](const Cycle& cycle, model::NodeRow row) {
    Verdict verdict = judge(cycle, row);
    return broken ? Verdict::Error("disk on fire") : verdict;
  };
  fake_.Add("Counting", rule);
  PutNode("a", 1010);
  PutNode("b", 1020);
  Start();
  Refresh();
  broken = true;
  PutNode("b", 1022);
  EXPECT_EQ(results_->RefreshFilters(NewCycle(), 0).Message(), "disk on fire");
  broken = false;
  EXPECT_EQ(Refresh().filter, Names({"a", "b"}));
  EXPECT_EQ(fake_.Names(results_->feasible()), Names({"a", "b"}));
}

TEST_F(ClassResultsTest, ScoreOutOfRangeIsAnError) {
  Rule rule;
  rule.score_scope = Scope::kNode;
  rule.score = [](const Cycle&, model::NodeRow) { return 101; };
  fake_.Add("Generous", rule);
  PutNode("a", 1000);
  Start();
  const Cycle cycle = NewCycle();
  ASSERT_TRUE(results_->RefreshFilters(cycle, 0).ok());
  const Verdict verdict = results_->RefreshScores(cycle, 0);
  EXPECT_EQ(verdict.code(), Code::kError);
  EXPECT_EQ(
      verdict.Message(),
      "applying score defaultWeights on Score plugins: plugin \"Generous\" returns an invalid "
      "score 101, it should in the range of [0, 100] after normalizing");
}

TEST_F(ClassResultsTest, EqualRawScoresAreDetected) {
  Rule rule;
  rule.score_scope = Scope::kNode;
  rule.score = [](const Cycle& cycle, model::NodeRow row) { return Cpu(cycle, row); };
  rule.normalize = [](const model::NodeMask& feasible, std::span<int64_t> scores) {
    DefaultNormalize(feasible, /*reverse=*/false, scores);
  };
  fake_.Add("Raw", rule);
  PutNode("a", 500);
  PutNode("b", 500);
  Start();
  Refresh();
  ASSERT_EQ(results_->raw().size(), 1u);
  const ClassResults::Raw& raw = results_->raw()[0];
  EXPECT_EQ(raw.different, 0u);
  EXPECT_EQ(raw.common, 500);
  EXPECT_EQ(raw.common_normalized, 100);

  PutNode("b", 600);
  Refresh();
  EXPECT_EQ(raw.different, 1u);
  EXPECT_EQ(raw.scores[fake_.Row("b").index()], 600);
  PutNode("b", 500);
  Refresh();
  EXPECT_EQ(raw.different, 0u);
  PutNode("b", 700);
  Refresh();
  fake_.cluster.Remove<api::Node>({"", "a"});
  fake_.cluster.Remove<api::Node>({"", "b"});
  PutNode("c", 700);
  Refresh();
  EXPECT_EQ(raw.different, 0u);
  EXPECT_EQ(raw.common, 700);
}

TEST_F(ClassResultsTest, HeavyWeightsDoNotOverflow) {
  Rule rule;
  rule.score_scope = Scope::kNode;
  rule.score = [](const Cycle& cycle, model::NodeRow row) { return Cpu(cycle, row) % 100; };
  for (const char* name : {"First", "Second", "Third"}) fake_.Add(name, rule, 15'000'000);
  PutNode("a", 1090);
  PutNode("b", 1010);
  Start();
  FakeAttempt attempt(fake_, *pod_);
  ASSERT_TRUE(attempt->PreFilter().ok());
  ASSERT_TRUE(attempt->Filter().ok());
  ASSERT_TRUE(attempt->Score().ok());
  EXPECT_EQ(fake_.NameOf(attempt->Best()), "a");
}

// Compares cached with new results while nodes are added, changed and deleted.
TEST_F(ClassResultsTest, CachedResultsEqualFreshOnes) {
  Rule raw;
  raw.score_scope = Scope::kNode;
  raw.score = [](const Cycle& cycle, model::NodeRow row) { return Cpu(cycle, row) / 100 % 3; };
  raw.normalize = [](const model::NodeMask& feasible, std::span<int64_t> scores) {
    DefaultNormalize(feasible, /*reverse=*/true, scores);
  };
  fake_.Add("Counting", CountingRule(), 3);
  fake_.Add("Raw", raw);
  Start();
  Random random(7);
  for (int step = 0; step < 2000; ++step) {
    const std::string name = "n" + std::to_string(random.Below(12));
    if (random.Chance(70)) {
      PutNode(name, static_cast<int64_t>(random.Below(400)));
    } else if (random.Chance(50)) {
      fake_.cluster.Remove<api::Node>({"", name});
    } else {
      fake_.cluster.Put(MakePod("on-" + name).On(name));
    }
    if (random.Chance(5)) ++epoch_;
    if (random.Chance(40)) continue;
    Refresh();

    ClassResults fresh(fake_.profile(), fake_.cluster, fake_.cluster.class_of(*pod_));
    const Cycle cycle(fake_.cluster, *pod_, fresh.compiled());
    ASSERT_TRUE(fresh.RefreshFilters(cycle, 0).ok());
    ASSERT_TRUE(fresh.RefreshScores(cycle, 0).ok());
    ASSERT_EQ(results_->feasible(), fresh.feasible()) << step;
    ASSERT_EQ(std::vector(results_->totals().begin(), results_->totals().end()),
              std::vector(fresh.totals().begin(), fresh.totals().end()))
        << step;
    const ClassResults::Raw& cached = results_->raw()[0];
    size_t different = 0;
    results_->feasible().ForEach([&](size_t row) {
      ASSERT_EQ(cached.scores[row], fresh.raw()[0].scores[row]) << step;
      different += cached.scores[row] != cached.common;
    });
    ASSERT_EQ(cached.different, different) << step;
  }
}

// Enough rows that several workers get some, and not a multiple of what each gets.
TEST_F(ClassResultsTest, WorkersDoNotChangeTheResults) {
  Rule raw;
  raw.score_scope = Scope::kNode;
  raw.score = [](const Cycle& cycle, model::NodeRow row) { return Cpu(cycle, row) / 100 % 3; };
  raw.normalize = [](const model::NodeMask& feasible, std::span<int64_t> scores) {
    DefaultNormalize(feasible, /*reverse=*/true, scores);
  };
  Rule plain;
  plain.reads = Reads::kNode;
  plain.score_scope = Scope::kNode;
  plain.filter = [](const Cycle& cycle, model::NodeRow row) {
    return Cpu(cycle, row) % 2 == 0 ? Verdict() : Verdict(Code::kUnschedulable, "odd");
  };
  plain.score = [](const Cycle& cycle, model::NodeRow row) { return Cpu(cycle, row) % 100; };
  fake_.Add("Plain", plain, 3);
  fake_.Add("Raw", raw);
  for (int i = 0; i < 30'000; ++i) PutNode("n" + std::to_string(i), i % 397);
  Start();
  Refresh();
  for (size_t count : {2, 3, 7}) {
    ThreadWorkers workers(count);
    ClassResults shared(fake_.profile(), fake_.cluster, fake_.cluster.class_of(*pod_), &workers);
    const Cycle cycle(fake_.cluster, *pod_, shared.compiled());
    ASSERT_TRUE(shared.RefreshFilters(cycle, 0).ok());
    ASSERT_TRUE(shared.RefreshScores(cycle, 0).ok());
    EXPECT_EQ(shared.feasible(), results_->feasible()) << count;
    EXPECT_TRUE(std::ranges::equal(shared.totals(), results_->totals())) << count;
    EXPECT_EQ(shared.raw()[0].different, results_->raw()[0].different) << count;
  }
}

// Heavy computes, for each pod class, something that takes 400 MiB.
class Heavy final : public NodeFilter {
 public:
  static constexpr std::string_view kName = "Heavy";
  std::string_view name() const override { return kName; }

  struct State final : ClassState {
    size_t bytes() const override { return size_t{100} << 20; }
  };
  std::unique_ptr<ClassState> Compile(model::Cluster&, const model::PodClass&) const override {
    return std::make_unique<State>();
  }
  Verdict FilterNode(const Cycle&, model::NodeRow) const override { return {}; }
};

class ClassResultsCacheTest : public testing::Test {
 protected:
  ClassResultsCacheTest() {
    Registry registry;
    registry.Add<Heavy>();
    registry.Add<FakeSort>();
    registry.Add<FakeBinder>();
    ProfileConfig config;
    config.multi_point.enabled = {{"Heavy"}, {"FakeSort"}, {"FakeBinder"}};
    profile_ = Require(Profile::Build(config, registry));
    cluster_.Put(MakeNode("n1"));
  }

  // The results of the class of pods of this priority.
  std::shared_ptr<ClassResults> For(int32_t priority) {
    const std::string name = "p" + std::to_string(priority);
    cluster_.Put(MakePod(name).Priority(priority));
    return Cache().For(cluster_.pod(cluster_.pods().Find("default", name)));
  }
  ClassResultsCache& Cache() {
    if (cache_ == nullptr)
      cache_ = std::make_unique<ClassResultsCache>(*profile_, cluster_, nullptr);
    return *cache_;
  }

  std::unique_ptr<Profile> profile_;
  model::Cluster cluster_;
  std::unique_ptr<ClassResultsCache> cache_;
};

TEST_F(ClassResultsCacheTest, RetainsThoseUsedLastUpToALimitInBytes) {
  for (int32_t i = 0; i < 100; ++i) {
    const auto results = For(i);
    EXPECT_EQ(For(i), results);
    EXPECT_LE(Cache().size(), 4u);
  }
  const auto last = For(99);
  EXPECT_NE(For(0), nullptr);
  EXPECT_EQ(For(99), last);
}

TEST_F(ClassResultsCacheTest, DropsTheResultsOfRemovedClasses) {
  const auto kept = For(1);
  std::weak_ptr<ClassResults> gone = For(2);
  EXPECT_EQ(Cache().size(), 2u);
  cluster_.Remove<api::Pod>({"default", "p2"});
  Cache().DropRemovedClasses();
  EXPECT_FALSE(gone.expired());  // The class is retained for the next replica.
  cluster_.DropUnused();
  Cache().DropRemovedClasses();
  EXPECT_TRUE(gone.expired());
  EXPECT_EQ(For(1), kept);
  EXPECT_EQ(Cache().size(), 1u);
}

TEST_F(ClassResultsCacheTest, CompiledStatesMayOutliveTheResults) {
  const std::shared_ptr<const ClassStates> compiled = For(1)->share_compiled();
  Cache().Clear();
  EXPECT_EQ(Cache().size(), 0u);
  EXPECT_EQ((*compiled)[0]->bytes(), size_t{100} << 20);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
