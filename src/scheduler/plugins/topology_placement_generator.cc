#include "scheduler/plugins/topology_placement_generator.h"

#include <fmt/format.h>

#include <expected>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "api/object.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::plugins {
namespace {

// Returns the domain of the members that have a node; nothing if none has.
Result<std::optional<std::string>> DomainOfScheduled(const model::Cluster& cluster,
                                                     const api::ObjectKey& group,
                                                     const std::string& label) {
  std::optional<std::string> domain;
  for (model::PodId id : cluster.groups().Of(group).scheduled) {
    const model::PodRecord& pod = cluster.pod(id);
    const model::NodeInfo& node = cluster.nodes().info(pod.node);
    if (node.object == nullptr) {
      return Fail(fmt::format("getting node for pod {}: nodeinfo not found for node name \"{}\"",
                              pod.key().ToString(), cluster.nodes().name(pod.node)));
    }
    const auto found = node.object->metadata.labels.find(label);
    if (found == node.object->metadata.labels.end())
      return Fail(fmt::format("no topology domain found for pod {}", pod.key().ToString()));
    if (domain && *domain != found->second) {
      return Fail(
          fmt::format("more than 1 domain found for pod group: {}, {}", *domain, found->second));
    }
    domain = found->second;
  }
  return domain;
}

// Null if nobody uses the key.
model::Topology::KeyRef FindKey(const model::Topology& topology, Symbol label) {
  for (model::Topology::KeyRef& key : topology.keys()) {
    if (key->label() == label) return std::move(key);
  }
  return nullptr;
}

using ValueAndNodes = std::pair<Symbol, model::NodeMask>;

// Returns the nodes with each value of the label, in no particular order.
std::vector<ValueAndNodes> NodesByValue(const model::Cluster& cluster, const std::string& label) {
  const model::NodeTable& nodes = cluster.nodes();
  const Symbol symbol = cluster.symbols().Find(label);
  std::vector<ValueAndNodes> by_value;
  if (const model::Topology::KeyRef key = FindKey(nodes.topology(), symbol)) {
    for (const model::Topology::Domain& domain : key->domains())
      by_value.emplace_back(domain.value, nodes.rows());
    const std::vector<model::DomainId>& domain_of = key->domain_of();
    nodes.present().ForEach([&](size_t row) {
      if (domain_of[row].valid()) by_value[domain_of[row].index()].second.Set(row);
    });
    std::erase_if(by_value, [](const ValueAndNodes& domain) { return !domain.first.valid(); });
    return by_value;
  }
  std::map<Symbol, model::NodeMask> found;
  nodes.present().ForEach([&](size_t row) {
    const model::NodeInfo& node = nodes.info(model::NodeRow{static_cast<uint32_t>(row)});
    const Symbol value = model::FindLabel(node.labels, symbol);
    if (value.valid()) found.try_emplace(value, nodes.rows()).first->second.Set(row);
  });
  for (auto& [value, rows] : found) by_value.emplace_back(value, std::move(rows));
  return by_value;
}

}  // namespace

framework::GeneratedPlacements TopologyPlacementGenerator::GeneratePlacements(
    const model::Cluster& cluster, const api::ObjectKey& key) const {
  const model::NodeTable& nodes = cluster.nodes();
  const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(key);
  if (group == nullptr) {
    return {framework::Verdict::Error(
                fmt::format("podgroup.scheduling.k8s.io \"{}\" not found", key.name)),
            {}};
  }
  if (group->topology_keys.empty()) return {{}, {{"", nodes.present()}}};

  const std::string& label = group->topology_keys.front();
  const auto required = DomainOfScheduled(cluster, key, label);
  if (!required) {
    return {framework::Verdict::Error("cannot determine domain for already scheduled pods: " +
                                      required.error().message),
            {}};
  }
  std::map<std::string, model::NodeMask> domains;
  for (auto& [value, rows] : NodesByValue(cluster, label)) {
    const std::string& domain = cluster.symbols().Text(value);
    if (!*required || **required == domain) domains.emplace(domain, std::move(rows));
  }
  framework::GeneratedPlacements generated;
  for (auto& [domain, rows] : domains) generated.placements.push_back({domain, std::move(rows)});
  return generated;
}

}  // namespace berth::scheduler::plugins
