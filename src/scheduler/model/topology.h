// Topology domains of nodes (Topology), and the order of nodes (NodeOrder).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/meta.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"

namespace berth::scheduler::model {

// Topology records, for each topology key in use, in which domain each node is.
//
// A key is in use from when a rule first requests it; it is then updated as nodes change. A domain
// is one value of the key; it exists while at least one node has the value.
class Topology {
 public:
  struct Domain {
    Symbol value;        // Invalid while the id is free.
    uint32_t nodes = 0;  // How many nodes are in it.
  };

  struct Key {
    Symbol label;
    std::vector<DomainId> domain_of;  // By row; invalid if the node lacks the label.
    std::vector<Domain> domains;      // By domain id.
    size_t domain_count = 0;          // Domains that exist.
    size_t node_count = 0;            // Nodes that are in one.

    DomainId Find(Symbol value) const;

   private:
    friend class Topology;
    void Enter(NodeRow row, Symbol value);
    void Leave(NodeRow row);

    std::unordered_map<Symbol, DomainId> by_value_;
    std::vector<DomainId> free_;
  };

  // Returns the id of `label`, which is in use from then on: `labels_of(row)` must return the
  // labels of each row of `present`.
  template <typename LabelsOf>
  TopologyKeyId Use(Symbol label, const NodeMask& present, size_t rows, LabelsOf&& labels_of) {
    const auto [found, added] =
        by_label_.try_emplace(label, TopologyKeyId{static_cast<uint32_t>(keys_.size())});
    if (added) {
      Key& key = keys_.emplace_back();
      key.label = label;
      key.domain_of.resize(rows);
      present.ForEach([&](size_t row) {
        key.Enter(NodeRow{static_cast<uint32_t>(row)}, FindLabel(labels_of(row), label));
      });
    }
    return found->second;
  }

  const Key& key(TopologyKeyId id) const { return keys_[id.index()]; }
  const std::vector<Key>& keys() const { return keys_; }

  void Resize(size_t rows);
  // Moves `row` to the domains that `labels` name; empty labels remove it from all.
  void Place(NodeRow row, LabelSpan labels);

 private:
  std::vector<Key> keys_;
  std::unordered_map<Symbol, TopologyKeyId> by_label_;
};

// NodeOrder is the order in which nodes are listed: one from each zone in turn, the nodes of a zone
// by name and the zones by their first nodes. It decides between equally good nodes and where a
// partial search starts.
//
// It is the order that kube-scheduler has after it listed all nodes; it does not depend on the
// order of arrival. Adding and removing are O(log n); reading after a change rebuilds the list,
// O(n).
class NodeOrder {
 public:
  // Extends the table to `rows` rows; new ones are in no zone.
  void Resize(size_t rows);
  // Adds the node to the zone that its labels name, and removes it from any other.
  void Place(NodeRow row, const std::string& name, const api::StringMap& labels);
  void Take(NodeRow row, const std::string& name);

  // The nodes in order.
  const std::vector<NodeRow>& rows() const;
  // The position of each row in that order; meaningless for rows that are not in it.
  const std::vector<uint32_t>& rank() const;
  // Grows with every change of the order.
  uint64_t version() const { return version_; }

 private:
  void Rebuild() const;

  std::map<std::string, std::map<std::string, NodeRow>> zones_;
  std::vector<std::string> zone_of_;  // By row.
  mutable std::vector<NodeRow> rows_;
  mutable std::vector<uint32_t> rank_;
  mutable bool stale_ = false;
  uint64_t version_ = 0;
};

}  // namespace berth::scheduler::model
