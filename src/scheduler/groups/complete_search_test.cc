#include "scheduler/groups/complete_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/groups/group_sums.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

// A board with plain rules, and with them alone.
class PlainBoard final : public SearchBoard {
 public:
  struct Node {
    int64_t cpu, memory;
    int rack = 0;
  };
  struct Member {
    int64_t cpu, memory;
    // Members with the same color do not share a node, or a rack.
    int apart_on_node = 0, apart_in_rack = 0;
    // Needs a member of this kind in its rack already.
    int after_kind = -1;
    int kind = 0;
  };

  PlainBoard(std::vector<Node> nodes, std::vector<Member> members, size_t needed)
      : nodes_(std::move(nodes)), members_(std::move(members)), needed_(needed) {}

  bool Fits(size_t member, size_t node) const {
    const Member& wanted = members_[member];
    int64_t cpu = nodes_[node].cpu, memory = nodes_[node].memory;
    bool is_after = wanted.after_kind < 0;
    for (const auto& [other, where] : placed_) {
      const Member& there = members_[other];
      const bool same_rack = nodes_[where].rack == nodes_[node].rack;
      if (where == node) {
        cpu -= there.cpu;
        memory -= there.memory;
      }
      if (other == member) return false;
      if (wanted.apart_on_node != 0 && wanted.apart_on_node == there.apart_on_node && where == node)
        return false;
      if (wanted.apart_in_rack != 0 && wanted.apart_in_rack == there.apart_in_rack && same_rack)
        return false;
      is_after = is_after || (same_rack && there.kind == wanted.after_kind);
    }
    return is_after && cpu >= wanted.cpu && memory >= wanted.memory;
  }

  std::optional<model::NodeMask> NodesFor(size_t member) override {
    ++steps;
    model::NodeMask nodes(nodes_.size());
    for (size_t node = 0; node < nodes_.size(); ++node) nodes.Assign(node, Fits(member, node));
    return nodes;
  }
  Placed Place(size_t member, size_t node) override {
    ++steps;
    EXPECT_TRUE(Fits(member, node));
    placed_.emplace_back(member, node);
    return placed_.size() == needed_ ? Placed::kEnough : Placed::kYes;
  }
  void Undo() override { placed_.pop_back(); }

  // Tries everything.
  bool Exists() {
    if (placed_.size() == needed_) return true;
    for (size_t member = 0; member < members_.size(); ++member) {
      for (size_t node = 0; node < nodes_.size(); ++node) {
        if (!Fits(member, node)) continue;
        placed_.emplace_back(member, node);
        const bool exists = Exists();
        placed_.pop_back();
        if (exists) return true;
      }
    }
    return false;
  }

  GroupProblem Problem() const {
    GroupProblem problem;
    problem.needed = needed_;
    problem.monotone =
        std::ranges::all_of(members_, [](const Member& member) { return member.after_kind < 0; });
    for (size_t i = 0; i < members_.size(); ++i) {
      const auto kind = static_cast<size_t>(members_[i].kind);
      if (problem.kinds.size() <= kind) problem.kinds.resize(kind + 1);
      problem.kinds[kind].members.push_back(i);
      problem.kinds[kind].requests = {members_[i].cpu, members_[i].memory};
      problem.kinds[kind].nodes = model::NodeMask(nodes_.size(), true);
    }
    problem.free.resize(2);
    std::vector<std::vector<int64_t>> classes;
    for (const Node& node : nodes_) {
      problem.free[0].push_back(node.cpu);
      problem.free[1].push_back(node.memory);
      const std::vector<int64_t> looks = {node.cpu, node.memory, node.rack};
      auto found = std::ranges::find(classes, looks);
      if (found == classes.end()) found = classes.insert(found, looks);
      problem.node_class.push_back(static_cast<uint32_t>(found - classes.begin()));
    }
    return problem;
  }

  const std::vector<std::pair<size_t, size_t>>& placed() const { return placed_; }

  uint64_t steps = 0;

 private:
  const std::vector<Node> nodes_;
  const std::vector<Member> members_;
  const size_t needed_;
  std::vector<std::pair<size_t, size_t>> placed_;
};

using Node = PlainBoard::Node;
using Member = PlainBoard::Member;

// Enough for everything here.
constexpr uint64_t kBudget = 100'000;

TEST(SearchCompletely, FindsWhatGreedyMisses) {
  // The small one first, on the node that is best for it, and the large one has none.
  PlainBoard board({{4, 4}, {3, 4}}, {{.cpu = 3, .memory = 1}, {.cpu = 4, .memory = 1, .kind = 1}},
                   2);
  EXPECT_EQ(SearchCompletely(board.Problem(), board, kBudget).end, SearchEnd::kFound);
  EXPECT_EQ(board.placed().size(), 2u);
}

TEST(SearchCompletely, LeavesTheBoardAsItWasIfThereIsNone) {
  // Five thirds of a node: the sums would allow it.
  PlainBoard board({{5, 9}, {5, 9}, {5, 9}}, std::vector<Member>(4, {.cpu = 3, .memory = 1}), 4);
  const CompleteSearchResult result = SearchCompletely(board.Problem(), board, kBudget);
  EXPECT_EQ(result.end, SearchEnd::kNone);
  EXPECT_EQ(result.steps, 0u) << "no node holds two of them: sums per node tell";
  EXPECT_EQ(result.capacity, 3u);
  EXPECT_TRUE(board.placed().empty());
}

TEST(SearchCompletely, EqualMembersAndNodesAreTriedOnce) {
  // Anti-affinity, which sums do not know of: sixteen members, fifteen nodes.
  std::vector<Member> members(16, {.cpu = 1, .memory = 1, .apart_on_node = 1});
  PlainBoard board(std::vector<Node>(15, {8, 8}), members, 16);
  const CompleteSearchResult result = SearchCompletely(board.Problem(), board, kBudget);
  EXPECT_EQ(result.end, SearchEnd::kNone);
  EXPECT_LE(result.steps, 50u) << "not sixteen factorial";
}

TEST(SearchCompletely, CountsNodesForMembersOfDifferentSizes) {
  // No two of them share a node, though the sums would allow it.
  std::vector<Member> members;
  for (int i = 0; i < 8; ++i) members.push_back({.cpu = 5 + i % 3, .memory = 1, .kind = i});
  PlainBoard board(std::vector<Node>(7, {9, 8}), members, 8);
  const CompleteSearchResult result = SearchCompletely(board.Problem(), board, kBudget);
  EXPECT_EQ(result.end, SearchEnd::kNone);
  EXPECT_EQ(result.steps, 0u);
}

TEST(SearchCompletely, ChoosesWhichMembersToPlace) {
  // Three of four are needed, and the first is too large.
  PlainBoard board({{2, 8}, {2, 8}},
                   {{.cpu = 3, .memory = 1},
                    {.cpu = 1, .memory = 1, .kind = 1},
                    {.cpu = 1, .memory = 1, .kind = 1},
                    {.cpu = 2, .memory = 1, .kind = 2}},
                   3);
  EXPECT_EQ(SearchCompletely(board.Problem(), board, kBudget).end, SearchEnd::kFound);
}

TEST(SearchCompletely, FindsTheOrderIfThatMatters) {
  PlainBoard board({{2, 8, 0}, {1, 8, 1}},
                   {{.cpu = 1, .memory = 1, .after_kind = 1}, {.cpu = 1, .memory = 1, .kind = 1}},
                   2);
  ASSERT_EQ(SearchCompletely(board.Problem(), board, kBudget).end, SearchEnd::kFound);
  EXPECT_EQ(board.placed()[0], std::pair(size_t{1}, size_t{0}));
}

TEST(SearchCompletely, BudgetIsCountedInSteps) {
  // Eight that differ and stay apart, on seven nodes.
  std::vector<Member> members;
  for (int i = 0; i < 8; ++i)
    members.push_back({.cpu = 1 + i, .memory = 1, .apart_on_node = 1, .kind = i});
  PlainBoard board(std::vector<Node>(7, {9, 8}), members, 8);
  const CompleteSearchResult result = SearchCompletely(board.Problem(), board, 10);
  EXPECT_EQ(result.end, SearchEnd::kUndecided);
  EXPECT_EQ(result.steps, 10u);
  EXPECT_EQ(board.steps, 10u);
  EXPECT_TRUE(board.placed().empty());
}

class RandomGroups : public testing::TestWithParam<bool> {};

TEST_P(RandomGroups, AreFoundExactlyIfOneExists) {
  Random random(7);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random.Below(static_cast<uint64_t>(high - low + 1)));
  };
  int found = 0;
  for (int run = 0; run < 4000; ++run) {
    std::vector<Node> nodes;
    for (int i = pick(1, 4); i > 0; --i) nodes.push_back({pick(1, 6), pick(2, 6), pick(0, 1)});
    std::vector<Member> kinds;
    for (int i = pick(1, 3); i > 0; --i) {
      Member kind{.cpu = pick(1, 4), .memory = pick(1, 4)};
      kind.kind = static_cast<int>(kinds.size());
      if (pick(0, 2) == 0) kind.apart_on_node = 1;
      if (pick(0, 3) == 0) kind.apart_in_rack = 1;
      if (GetParam() && pick(0, 1) == 0) kind.after_kind = pick(0, 2);
      kinds.push_back(kind);
    }
    std::vector<Member> members = kinds;
    for (int i = pick(0, 2); i > 0; --i)
      members.push_back(kinds[static_cast<size_t>(pick(0, static_cast<int>(kinds.size()) - 1))]);
    const auto needed = static_cast<size_t>(pick(1, static_cast<int>(members.size())));
    PlainBoard board(nodes, members, needed);
    const bool exists = board.Exists();
    const CompleteSearchResult result = SearchCompletely(board.Problem(), board, kBudget);
    ASSERT_EQ(result.end, exists ? SearchEnd::kFound : SearchEnd::kNone) << "run " << run;
    ASSERT_EQ(board.placed().size(), exists ? needed : 0) << "run " << run;
    if (exists) ++found;
  }
  EXPECT_GT(found, 1000) << "both outcomes must be frequent";
  EXPECT_LT(found, 3500);
}

INSTANTIATE_TEST_SUITE_P(InAnyOrderOrNot, RandomGroups, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Ordered" : "Monotone"; });

TEST(GroupSums, CountWhatFitsNodeByNode) {
  PlainBoard board({{5, 9}, {4, 9}}, std::vector<Member>(6, {.cpu = 2, .memory = 1}), 6);
  const GroupProblem problem = board.Problem();
  GroupSums sums(problem);
  EXPECT_EQ(sums.capacity(0), 4u);
  EXPECT_TRUE(sums.MayFit({{0, 4}}, {}, 0));
  EXPECT_FALSE(sums.MayFit({{0, 5}}, {}, 0));
  sums.Add(0, 1);
  EXPECT_EQ(sums.capacity(0), 3u);
  sums.Add(0, 1);
  EXPECT_EQ(sums.capacity(0), 2u);
  sums.Remove(0, 1);
  sums.Remove(0, 1);
  EXPECT_EQ(sums.capacity(0), 4u);
}

TEST(GroupSums, AmountsBeyondAllSumsBoundNothing) {
  PlainBoard board({{INT64_MAX, 9}, {INT64_MAX, 9}},
                   std::vector<Member>(2, {.cpu = INT64_MAX, .memory = 1}), 2);
  const GroupProblem problem = board.Problem();
  GroupSums sums(problem);
  EXPECT_TRUE(sums.MayFit({{0, 2}}, {}, 0));
  sums.Add(0, 0);
  EXPECT_FALSE(sums.MayFit({{0, 2}}, {}, 0));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
