#include "localcluster/pod_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/pod_resources.h"
#include "api/selector.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kAnyAddress = "0.0.0.0";

const int64_t* AmountIn(const Amounts& amounts, std::string_view resource) {
  const auto found = std::ranges::find(amounts, resource, &Amounts::value_type::first);
  return found == amounts.end() ? nullptr : &found->second;
}

int64_t AmountOrZero(const Amounts& amounts, std::string_view resource) {
  const int64_t* amount = AmountIn(amounts, resource);
  return amount ? *amount : 0;
}

void AddHostPorts(const api::Container& container, std::vector<HostPort>& ports) {
  for (const api::ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    ports.push_back({port.host_port, port.protocol.empty() ? "TCP" : port.protocol,
                     port.host_ip.empty() ? std::string(kAnyAddress) : port.host_ip});
  }
}

bool Clashes(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.address == b.address || a.address == kAnyAddress || b.address == kAnyAddress);
}

bool HasFreePorts(const std::vector<HostPort>& wanted,
                  const std::vector<const AllocatedResources*>& others) {
  return std::ranges::none_of(wanted, [&](const HostPort& port) {
    return std::ranges::any_of(others, [&](const AllocatedResources* other) {
      return std::ranges::any_of(other->host_ports,
                                 [&](const HostPort& used) { return Clashes(port, used); });
    });
  });
}

Rejection OutOf(std::string_view resource, int64_t requested, int64_t used, int64_t capacity) {
  return {fmt::format("OutOf{}", resource),
          fmt::format("Pod was rejected: Node didn't have enough resource: {}, requested: {}, "
                      "used: {}, capacity: {}",
                      resource, requested, used, capacity)};
}

Rejection FailedPredicate(std::string_view name, std::string_view why) {
  return {std::string(name), fmt::format("Pod was rejected: Predicate {} failed: {}", name, why)};
}

// Returns the first resource that is short. Extended resources that the node does not have are not
// its own, and do not count.
std::optional<Rejection> ShortageOf(const Amounts& requests, const NodeRecord& node,
                                    const std::vector<const AllocatedResources*>& others) {
  const auto count = static_cast<int64_t>(others.size());
  const int64_t max_pods = AmountOrZero(node.allocatable, "pods");
  if (count + 1 > max_pods) return OutOf("pods", 1, count, max_pods);
  for (const auto& [resource, amount] : requests) {
    const int64_t* capacity = AmountIn(node.allocatable, resource);
    if (amount <= 0 || (!capacity && api::IsExtendedResource(resource))) continue;
    int64_t used = 0;
    for (const AllocatedResources* other : others) used += AmountOrZero(other->amounts, resource);
    const int64_t available = capacity ? *capacity : 0;
    if (used + amount > available) return OutOf(resource, amount, used, available);
  }
  return std::nullopt;
}

}  // namespace

AllocatedResources DemandOf(const api::Pod& pod) {
  AllocatedResources demand{.amounts = AmountsOf(api::PodRequests(pod, {}))};
  for (const api::Container& container : pod.spec.containers) {
    AddHostPorts(container, demand.host_ports);
  }
  for (const api::Container& container : pod.spec.init_containers) {
    if (container.restart_policy == "Always") AddHostPorts(container, demand.host_ports);
  }
  return demand;
}

std::optional<Rejection> RejectionOf(const api::Pod& pod, const AllocatedResources& demand,
                                     const NodeRecord& node, const PodIndex::Set& pods) {
  std::vector<const AllocatedResources*> others;
  for (const PodRecord* other : pods) {
    if (other->uid() == pod.metadata.uid || other->finished() || !other->admitted) continue;
    others.push_back(&*other->admitted);
  }
  if (auto shortage = ShortageOf(demand.amounts, node, others)) return shortage;
  if (!MatchesNodeAffinity(pod, *node.node)) {
    return FailedPredicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  if (!HasFreePorts(demand.host_ports, others)) {
    return FailedPredicate("NodePorts",
                           "node(s) didn't have free ports for the requested pod ports");
  }
  const bool tolerates = std::ranges::all_of(node.node->spec.taints, [&](const api::Taint& taint) {
    return taint.effect != "NoExecute" || api::ToleratesAny(pod.spec.tolerations, taint);
  });
  if (!tolerates) {
    return FailedPredicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  return std::nullopt;
}

bool MatchesNodeAffinity(const api::Pod& pod, const api::Node& node) {
  const api::StringMap& labels = node.metadata.labels;
  if (pod.spec.node_selector) {
    const bool matches = std::ranges::all_of(*pod.spec.node_selector, [&](const auto& desired) {
      const auto found = labels.find(desired.first);
      return found != labels.end() && found->second == desired.second;
    });
    if (!matches) return false;
  }
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity ||
      !pod.spec.affinity->node_affinity->required) {
    return true;
  }
  return api::CompiledNodeSelector::MakeLazy(*pod.spec.affinity->node_affinity->required)
      .Matches(labels, node.metadata.name);
}

}  // namespace berth::localcluster
