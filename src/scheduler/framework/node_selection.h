// NodeSelection is the set of nodes that the static conditions of some pods leave in (selectors,
// taints, cordons), in groups of equal static scores, each divided by domain and ordered by usage.
//
// Pods whose rules have the same key share it, whatever their classes request. It follows the
// nodes: a node that a pod was placed on costs one entry, a node that changed an evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/usage_index.h"

namespace berth::scheduler::framework {

class NodeSelection {
 public:
  struct Group {
    std::vector<int64_t> scores;  // As the static scorers of the rules, not normalized.
    // The nodes in no domain of those that divide them, then those of each domain. If nothing
    // divides them, all are in the first.
    std::vector<UsageIndex> parts;

    // The domain of a part; invalid for the first.
    static model::DomainId DomainOf(size_t part) {
      return part == 0 ? model::DomainId{} : model::DomainId{static_cast<uint32_t>(part - 1)};
    }
    static size_t PartOf(model::DomainId domain) { return domain.valid() ? domain.index() + 1 : 0; }
    // Any of the rows; invalid if there is none.
    model::NodeRow any() const;
  };

  // Brings the groups up to date, divided as the rules say or not, the same each time. Returns
  // false if that is not possible: a plugin fails, or there are too many groups.
  bool Refresh(const Cycle& cycle, const SearchRules& rules, bool divided);

  bool divided() const { return divided_by_ != nullptr; }
  // Some may be empty.
  std::vector<Group>& groups() { return groups_; }
  // The rows that are in some group, and the group and the part of each of them.
  const model::NodeMask& rows() const { return rows_; }
  const Group& group_of(size_t row) const { return groups_[places_.Of(row).group]; }
  size_t group_index(size_t row) const { return places_.Of(row).group; }
  size_t part_index(size_t row) const { return places_.Of(row).part; }
  size_t bytes() const;

 private:
  // Each group is searched on its own.
  static constexpr size_t kMaxGroups = 32;
  static constexpr uint16_t kNoGroup = UINT16_MAX;

  // Where a row is, and the key with which the index there has it.
  struct Place {
    uint16_t group = kNoGroup;
    uint16_t part = 0;
    UsageIndex::Key key = 0;
  };
  // The places of selected rows. If they are few, the others take no space.
  class Places {
   public:
    void Reset(size_t rows, size_t selected);
    void Resize(size_t rows);
    const Place& Of(size_t row) const { return is_dense_ ? dense_[row] : sparse_.at(row); }
    Place& operator[](size_t row) { return is_dense_ ? dense_[row] : sparse_[row]; }
    void Erase(size_t row) { sparse_.erase(row); }
    size_t bytes() const;

   private:
    bool is_dense_ = true;
    std::vector<Place> dense_;  // By row.
    std::unordered_map<size_t, Place> sparse_;
  };

  bool AreScoresOutdated(const Cycle& cycle, const SearchRules& rules);
  bool AreMany(std::span<const model::NodeRow> changed) const;
  // Moves those of the rows that are selected to their new places.
  void Follow(const model::NodeTable& nodes, std::span<const model::NodeRow> changed);
  void Deselect(model::NodeRow row);
  // Sets the groups of `rows`, which are in none. Returns false if that is not possible.
  bool Evaluate(const Cycle& cycle, const SearchRules& rules, model::NodeMask rows);
  uint16_t GroupWith(const std::vector<int64_t>& scores);
  UsageIndex& IndexAt(const Place& place) { return groups_[place.group].parts[place.part]; }
  void Load(const model::NodeTable& nodes);
  void Insert(const model::NodeTable& nodes, model::NodeRow row);
  void Remove(const model::NodeTable& nodes, model::NodeRow row);

  std::vector<Group> groups_;
  Places places_;
  model::NodeMask rows_;
  size_t selected_ = 0;                 // The size of rows_.
  model::Topology::KeyRef divided_by_;  // Null: not divided. Its domains retain their ids.
  bool started_ = false;
  bool usable_ = false;
  uint64_t static_position_ = 0;  // In the table's log of static changes.
  uint64_t position_ = 0;         // In its log of all changes.
  std::optional<uint64_t> order_version_;
  std::vector<uint64_t> epochs_;         // Of the static scorers.
  std::vector<model::NodeRow> to_move_;  // Of Follow, which is called often.
};

}  // namespace berth::scheduler::framework
