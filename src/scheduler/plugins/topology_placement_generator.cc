#include "scheduler/plugins/topology_placement_generator.h"

#include <fmt/format.h>

#include <expected>
#include <map>
#include <optional>

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
  const Symbol symbol = cluster.symbols().Find(label);
  std::map<Symbol, model::NodeMask> by_value;
  nodes.present().ForEach([&](size_t row) {
    const model::NodeInfo& node = nodes.info(model::NodeRow{static_cast<uint32_t>(row)});
    const Symbol value = model::FindLabel(node.labels, symbol);
    if (!value.valid()) return;
    by_value.try_emplace(value, nodes.rows()).first->second.Set(row);
  });
  std::map<std::string, model::NodeMask> domains;
  for (auto& [value, rows] : by_value) {
    const std::string& domain = cluster.symbols().Text(value);
    if (!*required || **required == domain) domains.emplace(domain, std::move(rows));
  }
  framework::GeneratedPlacements generated;
  for (auto& [domain, rows] : domains) generated.placements.push_back({domain, std::move(rows)});
  return generated;
}

}  // namespace berth::scheduler::plugins
