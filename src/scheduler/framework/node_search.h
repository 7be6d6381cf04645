// NodeSearch finds the best node for a pod by its SearchRules, without evaluating every node.
//
// It decides exactly as evaluating every node would. Nothing is stored per pod class: memory is
// that of the selections, of which there is one for each distinct set of static rules (selectors,
// tolerations), and the least recently used are dropped. Owned by the engine thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/node_selection.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/usage_index.h"
#include "scheduler/framework/usage_table.h"

namespace berth::scheduler::model {
class NodeTable;
}

namespace berth::scheduler::framework {

class NodeSearch {
 public:
  // Returns the node with the highest total, and among equals the first in node order from the
  // position `start` on, around the end; invalid if the pod fits on none. `evaluate` returns the
  // weighted sum of the scores that are not static of a node that passes the static conditions and
  // the row conditions; negative if the pod does not fit. Absent if every node must be evaluated.
  std::optional<model::NodeRow> Best(const Cycle& cycle, const SearchRules& rules, uint32_t start,
                                     const UsageIndex::Evaluate& evaluate);

  // Looking for an equally good node in a part of a selection costs as much as looking at so many
  // nodes.
  static constexpr size_t kNodesPerPart = 8;

  // What single nodes are evaluated with.
  struct NodeEvaluation {
    // Reports whether the pod fits on a node that meets the static conditions and the row
    // conditions, apart from `lost`.
    UsageIndex::Fits fits;
    // Returns the weighted sum of the scores that are neither static nor by domain.
    UsageIndex::Evaluate score;
    std::span<const model::NodeRow> lost;  // Nodes that the pod loses to rivals.
  };
  // The same if scores depend on where nodes are, all of them described by DomainScores. Absent
  // also if the rules do not allow to rate nodes by domain.
  std::optional<model::NodeRow> BestByDomain(const Cycle& cycle, const SearchRules& rules,
                                             uint32_t start, const NodeEvaluation& node);

  // Returns the nodes that the static conditions leave in, current; null if every node must be
  // evaluated. Valid until the next call.
  NodeSelection* SelectionFor(const Cycle& cycle, const SearchRules& rules);

  // Writes to buffers().bounds what the nodes can score at best by their usage, by row.
  void BoundAll(const model::NodeTable& nodes, const ScoreBound& pod);

  // Buffers for a cycle's sums, one entry per row.
  struct Buffers {
    std::vector<int32_t> bounds, totals, scratch;
    std::vector<int64_t> scores;
  };
  Buffers& buffers() { return buffers_; }

  // The number of selections.
  size_t size() const { return cached_.size(); }
  void Clear();

 private:
  // The approximate limit of all selections together: 60 of all nodes if there are 5,000, and 17 if
  // there are 100,000.
  static constexpr size_t kMaxBytes = size_t{16} << 20;
  static constexpr size_t kMaxBytesPerNode = 1 << 10;

  struct Cached {
    NodeSelection nodes;
    uint64_t last_used = 0;
    uint64_t uses = 0;
    size_t bytes = 0;
    // If it is divided: how many of the next searches use it without trying the one that is not.
    uint32_t searches = 0;
  };

  // What Best is called with.
  struct Query {
    const Cycle& cycle;
    const SearchRules& rules;
    uint32_t start;
    const UsageIndex::Evaluate& evaluate;
  };

  // Returns a selection, current; null if every node must be evaluated.
  Cached* Refresh(const std::string& key, const Cycle& cycle, const SearchRules& rules,
                  bool divided);
  void DropOldest();
  // The same for one selection; see UsageIndex::Best for `most_chunks`.
  std::optional<model::NodeRow> BestOf(NodeSelection& nodes, const Query& query,
                                       size_t& most_chunks);
  // Returns the first node of the group from the start on that passes and scores as `found`.
  static UsageIndex::Found NearestEqual(const NodeSelection& nodes, size_t group,
                                        const Query& query, const UsageIndex::Found& found);
  // The weighted static scores of the groups in `of`, by group; absent if one is invalid.
  std::optional<std::vector<int64_t>> StaticTotals(const Cycle& cycle, const SearchRules& rules,
                                                   const std::vector<NodeSelection::Group>& groups,
                                                   const std::vector<size_t>& of);

  std::unordered_map<std::string, std::unique_ptr<Cached>> cached_;
  size_t bytes_ = 0;
  uint64_t uses_ = 0;
  UsageTable usages_;
  Buffers buffers_;
  model::NodeMask examples_;  // A node of each group; empty between searches.
};

}  // namespace berth::scheduler::framework
