// VolumeMatching finds, for a claim that is not bound yet, the existing PersistentVolume that it
// would get on each node.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/node_selector.h"
#include "scheduler/model/storage_catalog.h"

namespace berth::scheduler::plugins {

// NodesByLabel finds the nodes that fulfil a condition on their labels without evaluating all of
// them, where the condition is simple.
//
// The nodes are grouped by a label when a condition first needs it. The table must not change
// meanwhile.
class NodesByLabel {
 public:
  NodesByLabel(const model::NodeTable& nodes, const SymbolTable& symbols)
      : nodes_(nodes), symbols_(symbols) {}

  // Calls visit(size_t row) for each present node that matches, once.
  template <typename Visit>
  void ForEachMatch(const model::NodeLabelTerms& terms, Visit&& visit) {
    auto look_at = [&](size_t row) {
      const model::NodeRow node{static_cast<uint32_t>(row)};
      if (terms.Match(nodes_.info(node).labels, symbols_)) visit(row);
    };
    const model::LabelRequirement* pivot = terms.Pivot();
    if (pivot == nullptr) {
      nodes_.present().ForEach(look_at);
      return;
    }
    const Groups& groups = GroupsOf(pivot->key);
    for (Symbol value : pivot->values) {
      const auto group = groups.find(value);
      if (group == groups.end()) continue;
      for (uint32_t row : group->second) look_at(row);
    }
  }

 private:
  using Groups = std::unordered_map<Symbol, std::vector<uint32_t>>;  // Rows by value.
  const Groups& GroupsOf(Symbol key);

  const model::NodeTable& nodes_;
  const SymbolTable& symbols_;
  std::unordered_map<Symbol, Groups> by_key_;
};

class VolumeMatching {
 public:
  using Volume = model::StorageCatalog::Volume;

  // Finds volumes for `claim`, for a pod that has `claims` such claims in all. Fails if the claim's
  // selector does not parse. The volumes must not change while this is used.
  static Result<VolumeMatching> Make(const model::Cluster& cluster,
                                     const api::PersistentVolumeClaim& claim, size_t claims,
                                     NodesByLabel& nodes);

  // Returns the smallest volume that the claim can have on `node` and that is not among `taken`
  // (fewer than `claims`); null if there is none. A volume that is pre-bound to the claim comes
  // first: if it is not accessible from the node, no other is used.
  const Volume* Best(const model::NodeInfo& info, model::NodeRow node,
                     std::span<const Volume* const> taken, const SymbolTable& symbols) const;

  // The only nodes for which Best returns a volume; absent if it may for any.
  const model::NodeMask* only_nodes() const {
    return prebound_.empty() && anywhere_.empty() ? &reachable_ : nullptr;
  }

 private:
  VolumeMatching() = default;
  void Spread(size_t rows, size_t claims, NodesByLabel& nodes);

  std::vector<const Volume*> prebound_;
  std::vector<const Volume*> candidates_;  // Smallest first.
  // Indices of candidates, smallest first: those for any node, and those for each row. At most
  // `claims` of either, since more are never needed.
  std::vector<uint32_t> anywhere_;
  std::vector<std::vector<uint32_t>> on_row_;  // Empty if there are none.
  model::NodeMask reachable_;                  // The rows that have some.
};

}  // namespace berth::scheduler::plugins
