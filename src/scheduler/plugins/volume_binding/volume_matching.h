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
// The nodes are listed by a label when a condition first needs it. The table must not change
// meanwhile.
class NodesByLabel {
 public:
  NodesByLabel(const model::NodeTable& nodes, const SymbolTable& symbols)
      : nodes_(nodes), symbols_(symbols) {}

  // Calls visit(size_t row) for each present node that matches, once. `pivot_key` is that of the
  // label of the terms' Pivot; null if they have none.
  template <typename Visit>
  void ForEachMatch(const model::NodeLabelTerms& terms, const model::Topology::KeyRef& pivot_key,
                    Visit&& visit) {
    auto look_at = [&](size_t row) {
      const model::NodeRow node{static_cast<uint32_t>(row)};
      if (terms.Match(nodes_.info(node).labels, symbols_)) visit(row);
    };
    if (pivot_key == nullptr) {
      nodes_.present().ForEach(look_at);
      return;
    }
    const Lists& lists = ListsOf(*pivot_key);
    for (Symbol value : terms.Pivot()->values) {
      const model::DomainId domain = pivot_key->Find(value);
      if (!domain.valid()) continue;
      for (uint32_t row : lists.RowsOf(domain)) look_at(row);
    }
  }

 private:
  // The rows of each domain of a key, one domain after the other.
  struct Lists {
    std::vector<uint32_t> ends;  // By domain.
    std::vector<uint32_t> rows;

    std::span<const uint32_t> RowsOf(model::DomainId domain) const {
      const uint32_t first = domain.index() == 0 ? 0 : ends[domain.index() - 1];
      return std::span(rows).subspan(first, ends[domain.index()] - first);
    }
  };
  const Lists& ListsOf(const model::Topology::Key& key);

  const model::NodeTable& nodes_;
  const SymbolTable& symbols_;
  std::unordered_map<const model::Topology::Key*, Lists> by_key_;
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
