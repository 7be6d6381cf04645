#include "cluster/node_order.h"

#include <algorithm>
#include <string_view>

namespace berth {
namespace {

std::string_view LabelOr(const api::StringMap& labels, std::string_view first,
                         std::string_view second) {
  if (auto found = labels.find(first); found != labels.end()) return found->second;
  if (auto found = labels.find(second); found != labels.end()) return found->second;
  return {};
}

std::string ZoneOf(const api::StringMap& labels) {
  const std::string_view region =
      LabelOr(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  const std::string_view zone =
      LabelOr(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  if (region.empty() && zone.empty()) return {};
  std::string key(region);
  key.push_back('\0');
  key.append(zone);
  return key;
}

}  // namespace

void NodeOrder::Resize(size_t rows) {
  zone_of_.resize(rows);
  rank_.resize(rows);
}

void NodeOrder::Place(NodeRow row, const std::string& name, const api::StringMap& labels) {
  std::string zone = ZoneOf(labels);
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

}  // namespace berth
