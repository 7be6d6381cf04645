#include "twin/node_order.h"

#include <deque>
#include <utility>

namespace berth::twin {
namespace {

// The first of the two labels that the node has; empty if it has neither.
std::string LabelOf(const api::Node& node, std::string_view old_key, std::string_view key) {
  const std::string* old_value = Find(node.metadata.labels, old_key);
  const std::string* value = old_value != nullptr ? old_value : Find(node.metadata.labels, key);
  return value == nullptr ? "" : *value;
}

using Zone = std::pair<std::string, std::string>;  // Region and zone.

Zone ZoneOf(const api::Node& node) {
  return {
      LabelOf(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
      LabelOf(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")};
}

}  // namespace

std::vector<std::string> NodeOrder(const World& world) {
  std::vector<Zone> zones;  // In the order of their first nodes.
  std::map<Zone, std::deque<std::string>> waiting;
  for (const auto& [key, node] : world.nodes) {
    const Zone zone = ZoneOf(*node);
    if (!waiting.contains(zone)) zones.push_back(zone);
    waiting[zone].push_back(key.name);
  }
  std::vector<std::string> order;
  while (order.size() < world.nodes.size()) {
    for (const Zone& zone : zones) {
      if (waiting[zone].empty()) continue;
      order.push_back(waiting[zone].front());
      waiting[zone].pop_front();
    }
  }
  return order;
}

}  // namespace berth::twin
