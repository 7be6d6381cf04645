#include "cluster/topology.h"

#include <utility>

namespace berth {

DomainId Topology::Key::Find(Symbol value) const {
  auto found = by_value_.find(value);
  return found == by_value_.end() ? DomainId{} : found->second;
}

void Topology::Key::Enter(NodeRow row, Symbol value) {
  if (!value.valid()) return;
  auto [found, added] = by_value_.try_emplace(value);
  if (added) {
    if (free_.empty()) {
      found->second = DomainId{static_cast<uint32_t>(domains.size())};
      domains.emplace_back();
    } else {
      found->second = free_.back();
      free_.pop_back();
    }
    domains[found->second.index()] = {value, 0};
    ++domain_count;
  }
  domain_of[row.index()] = found->second;
  ++domains[found->second.index()].nodes;
  ++node_count;
}

void Topology::Key::Leave(NodeRow row) {
  const DomainId id = std::exchange(domain_of[row.index()], DomainId{});
  if (!id.valid()) return;
  --node_count;
  Domain& domain = domains[id.index()];
  if (--domain.nodes > 0) return;
  by_value_.erase(domain.value);
  domain.value = {};
  free_.push_back(id);
  --domain_count;
}

void Topology::Resize(size_t rows) {
  for (Key& key : keys_) key.domain_of.resize(rows);
}

void Topology::Place(NodeRow row, LabelSpan labels) {
  for (Key& key : keys_) {
    const Symbol value = FindLabel(labels, key.label);
    const DomainId current = key.domain_of[row.index()];
    if (current.valid() ? key.domains[current.index()].value == value : !value.valid()) continue;
    key.Leave(row);
    key.Enter(row, value);
  }
}

}  // namespace berth
