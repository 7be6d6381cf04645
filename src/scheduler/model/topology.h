// Topology domains of nodes (Topology), and the order of nodes (NodeOrder).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/meta.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"

namespace berth::scheduler::model {

// Topology records, for each topology key in use, in which domain each node is.
//
// A key is in use, and updated as nodes change, while a rule refers to it (KeyRef). A domain is one
// value of the key; it exists while at least one node has the value.
class Topology {
 public:
  // `symbols` must outlive this.
  explicit Topology(SymbolTable& symbols) : symbols_(symbols) {}

  struct Domain {
    Symbol value;        // Invalid while the id is free.
    uint32_t nodes = 0;  // How many nodes are in it.
    NodeRow newest;      // The one that entered it last; it may have left.
  };

  class Key {
   public:
    Symbol label() const { return label_; }
    // By row; invalid if the node lacks the label.
    const std::vector<DomainId>& domain_of() const { return node_count_ > 0 ? own_ : *nowhere_; }
    // By domain id.
    const std::vector<Domain>& domains() const { return domains_; }
    // The domains that exist, and the nodes that are in one.
    size_t domain_count() const { return domain_count_; }
    size_t node_count() const { return node_count_; }

    DomainId Find(Symbol value) const;
    // Reports whether each domain is one node, as for host names.
    bool is_per_node() const { return domain_count_ == node_count_; }
    // Returns the node of a domain that has one; invalid if it has more, or another has left it.
    NodeRow OnlyNodeOf(DomainId id) const {
      const Domain& domain = domains_[id.index()];
      return domain.nodes == 1 && own_[domain.newest.index()] == id ? domain.newest : NodeRow{};
    }

   private:
    friend class Topology;
    using Column = std::vector<DomainId>;
    Key(SymbolTable& symbols, std::string_view label, std::shared_ptr<const Column> nowhere)
        : held_(symbols), label_(held_.Intern(label)), nowhere_(std::move(nowhere)) {}

    void Resize(size_t rows);
    void Enter(NodeRow row, Symbol value);
    void Leave(NodeRow row);

    SymbolHolder held_;  // The label; the values are labels of nodes.
    const Symbol label_;
    // A label that no node has needs no column of its own, so that it costs the pods that name it,
    // not every node.
    Column own_;
    std::shared_ptr<const Column> nowhere_;
    std::vector<Domain> domains_;
    size_t domain_count_ = 0;
    size_t node_count_ = 0;
    std::unordered_map<Symbol, DomainId> by_value_;
    std::vector<DomainId> free_;
  };
  using KeyRef = std::shared_ptr<const Key>;

  // Returns the key `label`. `labels_of(row)` must return the labels of each row of `present`.
  template <typename LabelsOf>
  KeyRef Use(std::string_view label, const NodeMask& present, LabelsOf&& labels_of) {
    if (KeyRef known = FindKey(label)) return known;
    const std::shared_ptr<Key> key = AddKey(label);
    present.ForEach([&](size_t row) {
      key->Enter(NodeRow{static_cast<uint32_t>(row)}, FindLabel(labels_of(row), key->label()));
    });
    return key;
  }

  // The keys in use, in no particular order.
  std::vector<KeyRef> keys() const;

  void Resize(size_t rows);
  // Moves `row` to the domains that `labels` name; empty labels remove it from all.
  void Place(NodeRow row, LabelSpan labels);

 private:
  KeyRef FindKey(std::string_view label) const;
  std::shared_ptr<Key> AddKey(std::string_view label);
  template <typename Visit>  // void(const std::shared_ptr<Key>&)
  void ForEachKey(Visit&& visit) const;

  SymbolTable& symbols_;
  std::shared_ptr<Key::Column> nowhere_ = std::make_shared<Key::Column>();
  std::unordered_map<Symbol, std::weak_ptr<Key>> by_label_;
  size_t max_entries_ = 0;  // Of by_label_, before those of unused keys are removed.
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
