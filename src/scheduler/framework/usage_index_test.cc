#include "scheduler/framework/usage_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

// Nodes of 1,000 cpu and memory, of which some is used; their ranks are their rows.
class IndexedNodes {
 public:
  IndexedNodes(size_t count, UsageIndex& index) : index_(index) {
    for (uint32_t row = 0; row < count; ++row) used_.push_back({});
    std::vector<UsageIndex::Entry> entries;
    for (uint32_t row = 0; row < count; ++row) entries.push_back(EntryOf(row));
    index_.Load(entries);
  }

  void Use(uint32_t row, int cpu, int memory) {
    index_.Remove(UsageIndex::KeyOf(EntryOf(row).usage), EntryOf(row));
    used_[row].cpu += cpu;
    used_[row].memory += memory;
    index_.Insert(EntryOf(row));
  }

  // Nodes are in as many domains in turn, of which those pass.
  void Restrict(const std::vector<bool>& passes) {
    open_ = model::NodeMask(used_.size());
    for (size_t row = 0; row < used_.size(); ++row) {
      if (passes[row % passes.size()]) open_.Set(row);
    }
    conditions_.assign(1, Rows{&open_, {}, std::nullopt});
  }

  int MemoryOf(uint32_t row) const { return used_[row].memory; }

  // What the index does not know: a closed node rejects all pods, others score less than they
  // might.
  void Close(uint32_t row) { used_[row].closed = true; }
  void Penalize(uint32_t row, int points) { used_[row].penalty = points; }

  static ScoreBound BoundOf(int cpu, int memory) {
    ScoreBound pod;
    pod.decides_fit = true;
    pod.cpu = pod.nonzero_cpu = static_cast<float>(cpu);
    pod.memory = pod.nonzero_memory = static_cast<float>(memory);
    pod.cpu_limit = pod.memory_limit = ScoreBound::kAll;
    pod.cpu_weight = pod.memory_weight = 1;
    pod.allocation_weight = 1;
    return pod;
  }

  int32_t ScoreOf(uint32_t row, int cpu, int memory) const {
    const Used& used = used_[row];
    const int free_cpu = 1'000 - used.cpu - cpu, free_memory = 1'000 - used.memory - memory;
    const bool excluded =
        std::ranges::any_of(conditions_, [&](const auto& rule) { return !Passes(rule, row); });
    if (excluded || used.closed || free_cpu < 0 || free_memory < 0) return -1;
    return std::max((free_cpu / 10 + free_memory / 10) / 2 - used.penalty, 0);
  }

  bool Fits(uint32_t row, int cpu, int memory) const {
    return used_[row].cpu + cpu <= 1'000 && used_[row].memory + memory <= 1'000;
  }
  // On how many the pod fits, by the index and by looking at all; `asked` counts the nodes whose
  // usage does not decide it.
  size_t CountFitting(int cpu, int memory, size_t& asked) const {
    return index_.CountFitting(BoundOf(cpu, memory), [&](model::NodeRow row) {
      ++asked;
      return Fits(row.value, cpu, memory);
    });
  }
  size_t CountFittingOfAll(int cpu, int memory) const {
    size_t count = 0;
    for (uint32_t row = 0; row < used_.size(); ++row) count += Fits(row, cpu, memory);
    return count;
  }

  // The best by the index; `evaluated` counts the nodes that were evaluated.
  UsageIndex::Found Best(int cpu, int memory, uint32_t start, size_t& evaluated) {
    size_t most_chunks = SIZE_MAX;
    const auto evaluate = [&](model::NodeRow row) {
      ++evaluated;
      return ScoreOf(row.value, cpu, memory);
    };
    return index_.Best(BoundOf(cpu, memory), conditions_, start, evaluate, /*other=*/{},
                       most_chunks);
  }
  // The best by evaluating all.
  UsageIndex::Found BestOfAll(int cpu, int memory, uint32_t start) const {
    UsageIndex::Found best;
    for (uint32_t i = 0; i < used_.size(); ++i) {
      const auto row = static_cast<uint32_t>((start + i) % used_.size());
      const int32_t score = ScoreOf(row, cpu, memory);
      if (score > best.score) best = {score, row - start, model::NodeRow{row}};
    }
    return best;
  }

 private:
  struct Used {
    int cpu = 0, memory = 0;
    bool closed = false;
    int penalty = 0;
  };

  UsageIndex::Entry EntryOf(uint32_t row) const {
    const float cpu = static_cast<float>(used_[row].cpu) / 1'000;
    const float memory = static_cast<float>(used_[row].memory) / 1'000;
    return {model::NodeRow{row}, row, {cpu, memory, cpu, memory, 1e-3F, 1e-3F, 0}};
  }

  UsageIndex& index_;
  std::vector<Used> used_;
  model::NodeMask open_;
  std::vector<RowCondition> conditions_;
};

TEST(UsageIndex, FindsWhatEvaluatingAllFinds) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const size_t count = 1 + random.Below(700);
    UsageIndex index;
    IndexedNodes nodes(count, index);
    // Few amounts make many equals, many make few.
    const uint64_t amounts = random.Chance(50) ? 3 : 150;
    auto amount = [&] { return static_cast<int>(random.Below(amounts) * (150 / amounts)); };
    for (int step = 0; step < 300; ++step) {
      const int cpu = amount(), memory = amount();
      const auto start = static_cast<uint32_t>(random.Below(count));
      size_t evaluated = 0;
      const UsageIndex::Found found = nodes.Best(cpu, memory, start, evaluated);
      const UsageIndex::Found want = nodes.BestOfAll(cpu, memory, start);
      ASSERT_EQ(found.score, want.score) << "seed " << seed << ", step " << step;
      ASSERT_EQ(found.row, want.row) << "seed " << seed << ", step " << step;
      ASSERT_EQ(index.size(), count);
      size_t asked = 0;
      ASSERT_EQ(nodes.CountFitting(cpu, memory, asked), nodes.CountFittingOfAll(cpu, memory))
          << "seed " << seed << ", step " << step;
      if (found.score >= 0) nodes.Use(found.row.value, cpu, memory);
      if (random.Chance(5)) nodes.Restrict({random.Chance(50), random.Chance(20), true});
      if (random.Chance(3)) nodes.Close(static_cast<uint32_t>(random.Below(count)));
      if (random.Chance(30))
        nodes.Penalize(static_cast<uint32_t>(random.Below(count)),
                       static_cast<int>(random.Below(4)));
      if (random.Chance(20)) {
        const auto row = static_cast<uint32_t>(random.Below(count));
        nodes.Use(row, amount(), -nodes.MemoryOf(row) / 2);
      }
    }
  }
}

TEST(UsageIndex, FindsTheBestOfSeveralRegions) {
  constexpr size_t kCount = 400'000;
  Random random(7);
  UsageIndex index;
  IndexedNodes nodes(kCount, index);
  const auto any = [&] { return static_cast<uint32_t>(random.Below(kCount)); };
  for (int i = 0; i < 30'000; ++i)
    nodes.Use(any(), static_cast<int>(random.Below(30)), static_cast<int>(random.Below(30)));
  for (int step = 0; step < 30; ++step) {
    const int cpu = static_cast<int>(random.Below(300)), memory = static_cast<int>(random.Below(9));
    const uint32_t start = any();
    size_t evaluated = 0, asked = 0;
    const UsageIndex::Found found = nodes.Best(cpu, memory, start, evaluated);
    const UsageIndex::Found want = nodes.BestOfAll(cpu, memory, start);
    ASSERT_EQ(found.score, want.score) << "step " << step;
    ASSERT_EQ(found.row, want.row) << "step " << step;
    ASSERT_EQ(nodes.CountFitting(cpu, memory, asked), nodes.CountFittingOfAll(cpu, memory));
    for (uint32_t row = found.row.value; row < found.row.value + 5'000; ++row)
      nodes.Use(row % kCount, 20, 10);
  }
}

TEST(UsageIndex, EvaluatesFewOfManyEqualNodes) {
  UsageIndex index;
  IndexedNodes nodes(10'000, index);
  for (uint32_t start : {0u, 1u, 5'000u, 9'999u}) {
    size_t evaluated = 0;
    EXPECT_EQ(nodes.Best(10, 10, start, evaluated).row, model::NodeRow{start});
    EXPECT_LE(evaluated, 2u);
  }
}

TEST(UsageIndex, CountsFittingNodesByUsage) {
  UsageIndex index;
  IndexedNodes nodes(10'000, index);
  for (uint32_t row = 0; row < 10'000; ++row) nodes.Use(row, row % 10 == 3 ? 950 : 100, 0);
  size_t asked = 0;
  EXPECT_EQ(nodes.CountFitting(10, 10, asked), 10'000u);
  EXPECT_EQ(nodes.CountFitting(100, 10, asked), 9'000u);
  EXPECT_EQ(nodes.CountFitting(100, 1'001, asked), 0u);
  EXPECT_EQ(asked, 0u);
  // These are filled exactly, which is too close to call.
  EXPECT_EQ(nodes.CountFitting(50, 10, asked), 10'000u);
  EXPECT_EQ(asked, 1'000u);
}

TEST(UsageIndex, EvaluatesNoNodesOfOtherDomains) {
  UsageIndex index;
  IndexedNodes nodes(10'000, index);
  std::vector<bool> passes(100);
  passes[37] = true;
  nodes.Restrict(std::move(passes));
  size_t evaluated = 0;
  EXPECT_EQ(nodes.Best(10, 10, 5'000, evaluated).row, model::NodeRow{5'037});
  EXPECT_LE(evaluated, 3u);
}

TEST(UsageIndex, EvaluatesFewOfManyDifferentNodes) {
  Random random(1);
  UsageIndex index;
  IndexedNodes nodes(10'000, index);
  for (int round = 0; round < 3; ++round) {
    for (uint32_t row = 0; row < 10'000; ++row)
      nodes.Use(row, static_cast<int>(random.Below(300)), static_cast<int>(random.Below(300)));
    for (const int amount : {10, 200, 500}) {
      size_t evaluated = 0;
      EXPECT_EQ(nodes.Best(amount, 10, 77, evaluated).row, nodes.BestOfAll(amount, 10, 77).row);
      EXPECT_LE(evaluated, 20u);
    }
  }
}

TEST(UsageIndex, ReturnsNothingIfThePodFitsNowhere) {
  UsageIndex index;
  IndexedNodes nodes(100, index);
  size_t evaluated = 0;
  EXPECT_LT(nodes.Best(1'001, 1, 0, evaluated).score, 0);
  EXPECT_EQ(evaluated, 0u);
}

TEST(UsageIndex, DoesNotGrowWhenNodesFillUp) {
  constexpr uint32_t kNodes = 2'000;
  UsageIndex index;
  IndexedNodes nodes(kNodes, index);
  const size_t before = index.bytes();
  for (int round = 0; round < 30; ++round) {
    for (uint32_t row = 0; row < kNodes; ++row) nodes.Use(row, 30, 30);
  }
  EXPECT_LT(index.bytes(), 3 * before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
