#include "scheduler/groups/complete_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/groups/group_sums.h"

namespace berth::scheduler::groups {
namespace {

// Stands for a state of the search, in less space. 128 bits: two of a few thousand states never
// have the same one.
class Fingerprint {
 public:
  Fingerprint& Append(uint64_t value) {
    a_ = Mix(a_ + value + 0x9e3779b97f4a7c15);
    b_ = Mix((b_ ^ value) + 0xd1b54a32d192ed03);
    return *this;
  }
  // The fingerprint of a set is the sum of those of its elements, in any order.
  Fingerprint& operator+=(const Fingerprint& other) {
    a_ += other.a_;
    b_ += other.b_;
    return *this;
  }
  Fingerprint& operator-=(const Fingerprint& other) {
    a_ -= other.a_;
    b_ -= other.b_;
    return *this;
  }
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;

 private:
  // The finalizer of SplitMix64.
  static uint64_t Mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  uint64_t a_ = 0, b_ = 0;
};

class CompleteSearch {
 public:
  CompleteSearch(const GroupProblem& problem, SearchBoard& board, uint64_t budget)
      : problem_(problem), board_(board), budget_(budget), sums_(problem) {
    for (const MemberKind& kind : problem.kinds) remaining_.push_back(kind.members.size());
    for (uint32_t id : problem.node_class) classes_ = std::max(classes_, id + 1);
    for (const std::vector<int64_t>& column : problem.free)
      most_free_.push_back(column.empty() ? 0 : std::ranges::max(column));
    // Those with the least choice first: then a wrong choice is found out early.
    order_.resize(problem.kinds.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, {}, [&](size_t kind) {
      return static_cast<int64_t>(sums_.capacity(kind)) - static_cast<int64_t>(remaining_[kind]);
    });
  }

  CompleteSearchResult Run() {
    const size_t capacity = sums_.MostMembers();
    const bool found = problem_.monotone ? PlaceKindsFrom(0) : PlaceAny();
    const SearchEnd end = found        ? SearchEnd::kFound
                          : undecided_ ? SearchEnd::kUndecided
                                       : SearchEnd::kNone;
    return {end, steps_, capacity};
  }

 private:
  using Demand = GroupSums::Demand;
  using Contents = std::vector<uint32_t>;  // How many members of each kind are on a node.

  size_t missing() const { return problem_.needed - placed_; }

  // --- monotone: one kind after the other ---

  // Decides how many of the kind are placed, as few as possible first; then the kinds after it.
  bool PlaceKindsFrom(size_t index) {
    if (index == order_.size()) return false;
    size_t later = 0;
    for (const Demand& demand : RemainingFrom(index + 1))
      later += std::min(demand.count, sums_.capacity(demand.kind));
    const size_t most = std::min(missing(), remaining_[order_[index]]);
    for (size_t count = missing() - std::min(missing(), later); count <= most; ++count) {
      if (PlaceSome(index, count)) return true;
      if (undecided_) return false;
    }
    return false;
  }

  // Places `count` members of the kind, then the kinds after it.
  bool PlaceSome(size_t index, size_t count) {
    Fingerprint state = board_state_;
    if (!seen_.insert(state.Append(index).Append(count)).second) return false;
    if (count == 0) return PlaceKindsFrom(index + 1);
    const size_t kind = order_[index];
    if (!sums_.MayFit({{kind, count}}, RemainingFrom(index + 1), missing() - count)) return false;
    for (const size_t node : Candidates(kind)) {
      if (PlaceAndGoOn(kind, node, [&] { return PlaceSome(index, count - 1); })) return true;
      if (undecided_) return false;
    }
    return false;
  }

  // --- otherwise: any kind next ---

  bool PlaceAny() {
    if (!seen_.insert(problem_.depends_on_order ? moves_ : board_state_).second) return false;
    if (!sums_.MayFit({}, RemainingFrom(0), missing())) return false;
    for (const size_t kind : order_) {
      if (remaining_[kind] == 0) continue;
      for (const size_t node : Candidates(kind)) {
        if (PlaceAndGoOn(kind, node, [&] { return PlaceAny(); })) return true;
        if (undecided_) return false;
      }
      if (undecided_) return false;
    }
    return false;
  }

  // --- both ---

  // Returns false if the budget has ended.
  bool Spend() {
    if (steps_ == budget_) undecided_ = true;
    if (!undecided_) ++steps_;
    return !undecided_;
  }

  std::vector<Demand> RemainingFrom(size_t index) const {
    std::vector<Demand> demands;
    for (; index < order_.size(); ++index)
      demands.push_back({order_[index], remaining_[order_[index]]});
    return demands;
  }

  size_t NextMember(size_t kind) const {
    const std::vector<size_t>& members = problem_.kinds[kind].members;
    return members[members.size() - remaining_[kind]];
  }

  // Returns whether the group is complete; otherwise nothing has changed.
  template <typename GoOn>
  bool PlaceAndGoOn(size_t kind, size_t node, GoOn go_on) {
    if (!Spend()) return false;
    const SearchBoard::Placed placed = board_.Place(NextMember(kind), node);
    if (placed == SearchBoard::Placed::kNo) return false;
    if (placed == SearchBoard::Placed::kEnough) return true;
    const Fingerprint moves = moves_;
    Note(kind, node);
    if (missing() == 0) {
      undecided_ = true;  // Something else is amiss, which is not searched for.
    } else if (go_on()) {
      return true;
    }
    board_.Undo();
    Forget(kind, node);
    moves_ = moves;
    return false;
  }

  void Note(size_t kind, size_t node) {
    --remaining_[kind];
    ++placed_;
    sums_.Add(kind, node);
    moves_.Append(kind).Append(node);
    const auto [contents, is_first] = contents_.try_emplace(node, problem_.kinds.size());
    if (!is_first) board_state_ -= StateOf(node, contents->second);
    ++contents->second[kind];
    board_state_ += StateOf(node, contents->second);
  }

  void Forget(size_t kind, size_t node) {
    ++remaining_[kind];
    --placed_;
    sums_.Remove(kind, node);
    const auto contents = contents_.find(node);
    board_state_ -= StateOf(node, contents->second);
    --contents->second[kind];
    if (std::ranges::all_of(contents->second, [](uint32_t count) { return count == 0; })) {
      contents_.erase(contents);
    } else {
      board_state_ += StateOf(node, contents->second);
    }
  }

  Fingerprint StateOf(size_t node, const Contents& contents) const {
    Fingerprint state;
    state.Append(problem_.node_class[node]);
    for (uint32_t count : contents) state.Append(count);
    return state;
  }

  // Returns one of each set of nodes that are equal now, those with the least free first.
  std::vector<size_t> Candidates(size_t kind) {
    if (!Spend()) return {};
    const std::optional<model::NodeMask> nodes = board_.NodesFor(NextMember(kind));
    if (!nodes) {
      undecided_ = true;
      return {};
    }
    std::vector<std::pair<double, size_t>> candidates;
    std::vector<bool> seen_empty(classes_);
    std::set<std::pair<uint32_t, Contents>> seen;
    nodes->ForEach([&](size_t node) {
      const uint32_t id = problem_.node_class[node];
      const auto contents = contents_.find(node);
      if (contents == contents_.end()) {
        if (seen_empty[id]) return;
        seen_empty[id] = true;
      } else if (!seen.emplace(id, contents->second).second) {
        return;
      }
      candidates.emplace_back(FreeShareOf(node), node);
    });
    std::ranges::sort(candidates);
    std::vector<size_t> sorted;
    for (const auto& [free, node] : candidates) sorted.push_back(node);
    return sorted;
  }

  // Compares nodes: each resource counts as a part of the most that a node has of it.
  double FreeShareOf(size_t node) const {
    double share = 0;
    for (size_t i = 0; i < most_free_.size(); ++i) {
      if (most_free_[i] > 0)
        share += static_cast<double>(sums_.free(i, node)) / static_cast<double>(most_free_[i]);
    }
    return share;
  }

  const GroupProblem& problem_;
  SearchBoard& board_;
  const uint64_t budget_;
  GroupSums sums_;
  std::vector<int64_t> most_free_;  // By resource.
  uint32_t classes_ = 0;            // Of nodes.
  std::vector<size_t> order_;       // Of kinds.
  std::vector<size_t> remaining_;   // By kind: members that are not placed.
  size_t placed_ = 0;
  std::map<size_t, Contents> contents_;  // Of nodes with members.
  Fingerprint board_state_;              // Of contents_.
  Fingerprint moves_;                    // Of the placed members, in order.
  std::set<Fingerprint> seen_;           // States that were searched in vain.
  uint64_t steps_ = 0;
  bool undecided_ = false;
};

}  // namespace

CompleteSearchResult SearchCompletely(const GroupProblem& problem, SearchBoard& board,
                                      uint64_t budget) {
  if (problem.needed > kMaxSearchedMembers) return {};
  return CompleteSearch(problem, board, budget).Run();
}

}  // namespace berth::scheduler::groups
