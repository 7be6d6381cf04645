#include "scheduler/framework/conditions.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/model/node_table.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

// A pod in a cluster of as many nodes as a test needs rows; conditions of amounts read columns of
// their own.
class ConditionsTest : public testing::Test {
 protected:
  ConditionsTest() {
    fake_.cluster.Put(MakeNode("a").Label("zone", "east"));
    fake_.cluster.Put(MakeNode("b").Label("zone", "west"));
    fake_.cluster.Put(MakeNode("c"));
    fake_.cluster.Put(MakePod("p"));
  }

  Cycle NewCycle() {
    const model::PodId pod = fake_.cluster.pods().Find("default", "p");
    return Cycle(fake_.cluster, fake_.cluster.pod(pod), compiled_);
  }
  std::string JudgeNode(const Conditions& conditions, const char* node) {
    const Verdict verdict = Judge(conditions, NewCycle(), fake_.Row(node));
    return verdict.ok() ? "fits" : std::string(ToString(verdict.code())) + ": " + verdict.Message();
  }
  std::vector<std::string> Left(const Conditions& conditions) {
    model::NodeMask nodes = fake_.cluster.nodes().present();
    EXPECT_TRUE(Filter(conditions, NewCycle(), nodes).ok());
    return fake_.Names(nodes);
  }

  FakeCluster fake_;
  const ClassStates compiled_{};
};

using Names = std::vector<std::string>;

constexpr size_t kRows = 192;

// Columns with values that are equal now and then, and amounts that are.
struct RandomAmounts {
  explicit RandomAmounts(Random& random) {
    auto number = [&] {
      return random.Chance(5) ? INT64_MAX : static_cast<int64_t>(random.Below(4));
    };
    columns.Resize(kRows);
    for (auto* column :
         {&columns.allocatable_cpu, &columns.allocatable_memory, &columns.allocatable_ephemeral,
          &columns.allocatable_pods, &columns.requested_cpu, &columns.requested_memory,
          &columns.requested_ephemeral, &columns.pod_count}) {
      for (int64_t& value : *column) value = number();
    }
    conditions = {Amount::Slot(columns), Amount::Cpu(columns, number()),
                  Amount::Memory(columns, number()), Amount::EphemeralStorage(columns, number())};
  }

  model::NodeColumns columns;
  Conditions conditions;
};

TEST_F(ConditionsTest, AmountsOfManyNodesAreComparedAsOfOne) {
  Random random(1);
  const Cycle cycle = NewCycle();
  for (int round = 0; round < 200; ++round) {
    const RandomAmounts amounts(random);
    model::NodeMask left(kRows);
    left.SetAll();
    left.KeepIf([&](size_t row) { return row < 64 || random.Chance(10); });
    const model::NodeMask asked = left;
    ASSERT_TRUE(Filter(amounts.conditions, cycle, left).ok());
    std::map<uint32_t, Verdict> verdicts;
    for (size_t first = 0; first < kRows; first += 64) {
      const uint64_t rejected = asked.words()[first / 64] & ~left.words()[first / 64];
      std::array<uint32_t, 64> kinds{};
      RejectionKinds(amounts.conditions, cycle, first, rejected, kinds);
      for (size_t i = 0; i < 64; ++i) {
        const size_t row = first + i;
        if (!asked.Test(row)) continue;
        const Verdict verdict =
            Judge(amounts.conditions, cycle, model::NodeRow{static_cast<uint32_t>(row)});
        ASSERT_EQ(left.Test(row), verdict.ok()) << row;
        if (verdict.ok()) continue;
        ASSERT_NE(kinds[i], kNoKind);
        ASSERT_EQ(verdicts.emplace(kinds[i], verdict).first->second, verdict) << row;
      }
    }
  }
}

TEST_F(ConditionsTest, EveryAmountThatLacksIsNamed) {
  model::NodeColumns columns;
  columns.Resize(fake_.cluster.nodes().rows());
  const size_t a = fake_.Row("a").index();
  columns.allocatable_pods[a] = columns.pod_count[a] = 1;
  columns.allocatable_cpu[a] = 1'000;
  columns.requested_cpu[a] = 600;
  columns.allocatable_memory[a] = 64;
  const auto judge = [&](int64_t cpu, int64_t memory) {
    return JudgeNode(
        {Amount::Slot(columns), Amount::Cpu(columns, cpu), Amount::Memory(columns, memory)}, "a");
  };
  EXPECT_EQ(judge(400, 64), "Unschedulable: Too many pods");
  EXPECT_EQ(judge(401, 64), "Unschedulable: Too many pods, Insufficient cpu");
  EXPECT_EQ(judge(401, 65),
            "UnschedulableAndUnresolvable: Too many pods, Insufficient cpu, Insufficient memory");
}

TEST_F(ConditionsTest, AResourceThatNoNodeListsPassesOnlyIfDevicesProvideIt) {
  const model::NodeColumns columns;
  Amount gpu = Amount::Scalar(columns, model::ScalarId{0}, 1, /*passes_if_unlisted=*/true);
  EXPECT_TRUE(gpu.Passes(0));
  gpu.passes_if_unlisted = false;
  EXPECT_FALSE(gpu.Passes(0));
  EXPECT_TRUE(gpu.IsTooSmall(0));
}

TEST_F(ConditionsTest, TheFirstConditionThatIsNotMetDecides) {
  const model::Topology::KeyRef zones = fake_.cluster.UseTopologyKey("zone");
  const auto domain_of = [&](const char* zone) {
    return zones->Find(fake_.cluster.symbols().Find(zone)).index();
  };
  std::vector<int32_t> counts(zones->domains().size());
  counts[domain_of("east")] = 2;
  counts[domain_of("west")] = DomainCount::kNotCounted;
  DomainCount few(zones, counts);
  few.highest = 1;
  few.rejection = {Code::kUnschedulable, "too many"};
  EXPECT_EQ(Left({few}), Names({"b", "c"})) << "a node in no domain passes";
  few.missing = Rejection{Code::kUnschedulableAndUnresolvable, "no zone"};
  EXPECT_EQ(Left({few}), Names({"b"}));
  EXPECT_EQ(JudgeNode({few}, "c"), "UnschedulableAndUnresolvable: no zone");

  model::NodeMask only_c(fake_.cluster.nodes().rows());
  only_c.Set(fake_.Row("c").index());
  const Rows rows{&only_c, {}, Rejection{Code::kUnschedulable, "another node"}};
  EXPECT_EQ(JudgeNode({few, rows}, "a"), "Unschedulable: too many");
  EXPECT_EQ(JudgeNode({rows, few}, "a"), "Unschedulable: another node");
  EXPECT_EQ(Left({rows, few}), Names());

  std::array<uint32_t, 64> kinds{};
  RejectionKinds({few, rows}, NewCycle(), 0, fake_.cluster.nodes().present().words()[0], kinds);
  EXPECT_NE(kinds[fake_.Row("a").index()], kinds[fake_.Row("c").index()]);
  EXPECT_NE(kinds[fake_.Row("a").index()], kinds[fake_.Row("b").index()]);
}

// What a plugin knows before it evaluates a node leaves it to that evaluation to say why.
TEST_F(ConditionsTest, HintsNarrowAndDoNotExplain) {
  const FakeRule only_b("OnlyB", {.filter = [this](const Cycle&, model::NodeRow row) {
                          return fake_.NameOf(row) == "b" ? Verdict()
                                                          : Verdict(Code::kUnschedulable, "not b");
                        }});
  const std::vector<model::NodeRow> few = {fake_.Row("b"), fake_.Row("c")};
  const Conditions conditions = {Rows{nullptr, few, std::nullopt}, Opaque{.filter = &only_b}};
  EXPECT_EQ(Left(conditions), Names({"b"}));
  EXPECT_EQ(JudgeNode(conditions, "a"), "Unschedulable: not b");
  EXPECT_EQ(JudgeNode(conditions, "c"), "Unschedulable: not b");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
