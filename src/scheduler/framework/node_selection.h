// NodeSelection is the set of nodes that the static filters of some pods leave in (selectors,
// taints, cordons), in groups of equal static scores, each ordered by usage.
//
// Pods whose rules have the same key share it, whatever their classes request. It follows the
// nodes: a node that a pod was placed on costs one entry, a node that changed an evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/usage_index.h"

namespace berth::scheduler::framework {

class NodeSelection {
 public:
  struct Group {
    std::vector<int64_t> scores;  // As the static scorers of the rules, not normalized.
    UsageIndex nodes;
  };

  // Brings the groups up to date. Returns false if that is not possible: a plugin fails, or there
  // are too many groups.
  bool Refresh(const Cycle& cycle, const SearchRules& rules);

  // Some may be empty.
  std::vector<Group>& groups() { return groups_; }
  // The rows that are in some group, and that of each of them.
  const model::NodeMask& rows() const { return rows_; }
  const Group& group_of(size_t row) const { return groups_[group_of_[row]]; }
  size_t bytes() const;

 private:
  // Each group is searched on its own.
  static constexpr size_t kMaxGroups = 32;
  static constexpr uint32_t kNowhere = UINT32_MAX;

  bool AreScoresOutdated(const Cycle& cycle, const SearchRules& rules);
  // Sets the groups of `rows`, which are in none. Returns false if that is not possible.
  bool Evaluate(const Cycle& cycle, const SearchRules& rules, model::NodeMask rows);
  uint32_t GroupWith(const std::vector<int64_t>& scores);
  void Load(const model::NodeTable& nodes);
  void Insert(const model::NodeTable& nodes, model::NodeRow row);
  void Remove(const model::NodeTable& nodes, model::NodeRow row);

  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;       // By row; kNowhere for those that are filtered out.
  std::vector<UsageIndex::Key> key_of_;  // By row: with which the group has it.
  model::NodeMask rows_;
  size_t selected_ = 0;  // The size of rows_.
  bool started_ = false;
  bool usable_ = false;
  uint64_t static_position_ = 0;  // In the table's log of static changes.
  uint64_t position_ = 0;         // In its log of all changes.
  std::optional<uint64_t> order_version_;
  std::vector<uint64_t> epochs_;  // Of the static scorers.
};

}  // namespace berth::scheduler::framework
