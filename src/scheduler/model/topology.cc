#include "scheduler/model/topology.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "scheduler/model/node_zone.h"

namespace berth::scheduler::model {

DomainId Topology::Key::Find(Symbol value) const {
  auto found = by_value_.find(value);
  return found == by_value_.end() ? DomainId{} : found->second;
}

void Topology::Key::Resize(size_t rows) {
  if (node_count_ > 0) own_.resize(rows);
}

void Topology::Key::Enter(NodeRow row, Symbol value) {
  if (!value.valid()) return;
  auto [found, added] = by_value_.try_emplace(value);
  if (added) {
    if (free_.empty()) {
      found->second = DomainId{static_cast<uint32_t>(domains_.size())};
      domains_.emplace_back();
    } else {
      found->second = free_.back();
      free_.pop_back();
    }
    domains_[found->second.index()] = {value, 0, {}};
    ++domain_count_;
  }
  if (++node_count_ == 1) own_.resize(nowhere_->size());
  own_[row.index()] = found->second;
  Domain& domain = domains_[found->second.index()];
  ++domain.nodes;
  domain.newest = row;
}

void Topology::Key::Leave(NodeRow row) {
  if (node_count_ == 0) return;
  const DomainId id = std::exchange(own_[row.index()], DomainId{});
  if (!id.valid()) return;
  if (--node_count_ == 0) own_ = Column();
  Domain& domain = domains_[id.index()];
  if (--domain.nodes > 0) return;
  by_value_.erase(domain.value);
  domain.value = {};
  free_.push_back(id);
  --domain_count_;
}

Topology::KeyRef Topology::FindKey(std::string_view label) const {
  const auto found = by_label_.find(symbols_.Find(label));
  return found == by_label_.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Topology::Key> Topology::AddKey(std::string_view label) {
  if (by_label_.size() >= max_entries_) {
    std::erase_if(by_label_, [](const auto& entry) { return entry.second.expired(); });
    max_entries_ = 2 * by_label_.size() + 16;
  }
  std::shared_ptr<Key> key(new Key(symbols_, label, nowhere_));
  // The label of an unused key may have had the same symbol.
  by_label_.insert_or_assign(key->label(), key);
  return key;
}

template <typename Visit>
void Topology::ForEachKey(Visit&& visit) const {
  for (const auto& [label, held] : by_label_) {
    if (const std::shared_ptr<Key> key = held.lock()) visit(key);
  }
}

std::vector<Topology::KeyRef> Topology::keys() const {
  std::vector<KeyRef> keys;
  ForEachKey([&](const KeyRef& key) { keys.push_back(key); });
  return keys;
}

void Topology::Resize(size_t rows) {
  nowhere_->resize(rows);
  ForEachKey([&](const std::shared_ptr<Key>& key) { key->Resize(rows); });
}

void Topology::Place(NodeRow row, LabelSpan labels) {
  ForEachKey([&](const std::shared_ptr<Key>& key) {
    const Symbol value = FindLabel(labels, key->label());
    const DomainId current = key->domain_of()[row.index()];
    const bool same = current.valid() ? key->domains()[current.index()].value == value  //
                                      : !value.valid();
    if (same) return;
    key->Leave(row);
    key->Enter(row, value);
  });
}

namespace {

std::string_view LabelOr(const api::StringMap& labels, std::string_view first,
                         std::string_view second) {
  if (auto found = labels.find(first); found != labels.end()) return found->second;
  if (auto found = labels.find(second); found != labels.end()) return found->second;
  return {};
}

std::string KeyOfZone(const api::StringMap& labels) {
  const auto [region, zone] = ZoneOf(labels);
  if (region.empty() && zone.empty()) return {};
  std::string key(region);
  key.push_back('\0');
  key.append(zone);
  return key;
}

}  // namespace

NodeZone ZoneOf(const api::StringMap& labels) {
  return {
      LabelOr(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
      LabelOr(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")};
}

void NodeOrder::Resize(size_t rows) {
  zone_of_.resize(rows);
  rank_.resize(rows);
}

void NodeOrder::Place(NodeRow row, const std::string& name, const api::StringMap& labels) {
  std::string zone = KeyOfZone(labels);
  if (zone == zone_of_[row.index()] && zones_.contains(zone) && zones_[zone].contains(name)) return;
  Take(row, name);
  zones_[zone].emplace(name, row);
  zone_of_[row.index()] = std::move(zone);
  stale_ = true;
  ++version_;
}

void NodeOrder::Take(NodeRow row, const std::string& name) {
  auto zone = zones_.find(zone_of_[row.index()]);
  if (zone == zones_.end() || zone->second.erase(name) == 0) return;
  if (zone->second.empty()) zones_.erase(zone);
  stale_ = true;
  ++version_;
}

const std::vector<NodeRow>& NodeOrder::rows() const {
  Rebuild();
  return rows_;
}

const std::vector<uint32_t>& NodeOrder::rank() const {
  Rebuild();
  return rank_;
}

void NodeOrder::Rebuild() const {
  if (!stale_) return;
  stale_ = false;
  // Zones take turns in the order of their first nodes, as if the nodes had been listed by name.
  using Zone = std::map<std::string, NodeRow>;
  struct Turn {
    Zone::const_iterator next, end;
  };
  std::vector<Turn> turns;
  for (const auto& [key, zone] : zones_) turns.push_back({zone.begin(), zone.end()});
  std::ranges::sort(turns, {},
                    [](const Turn& turn) -> const std::string& { return turn.next->first; });
  rows_.clear();
  rank_.assign(zone_of_.size(), 0);
  while (!turns.empty()) {
    for (Turn& turn : turns) {
      rank_[turn.next->second.index()] = static_cast<uint32_t>(rows_.size());
      rows_.push_back(turn.next->second);
      ++turn.next;
    }
    std::erase_if(turns, [](const Turn& turn) { return turn.next == turn.end; });
  }
}

}  // namespace berth::scheduler::model
