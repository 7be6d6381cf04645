#include "scheduler/reference/rule.h"

#include "base/check.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

void CollectPorts(const api::Container& container, std::vector<HostPort>& ports) {
  for (const api::ContainerPort& port : container.ports) {
    if (port.host_port <= 0) continue;
    ports.push_back({port.host_ip.empty() ? "0.0.0.0" : port.host_ip,
                     port.protocol.empty() ? "TCP" : port.protocol, port.host_port});
  }
}

}  // namespace

std::vector<HostPort> HostPortsOf(const api::Pod& pod) {
  std::vector<HostPort> ports;
  for (const api::Container& container : pod.spec.init_containers) {
    if (container.restart_policy == "Always") CollectPorts(container, ports);
  }
  for (const api::Container& container : pod.spec.containers) CollectPorts(container, ports);
  return ports;
}

NodeState::NodeState(const Snapshot& snapshot, const api::Node& node) : node_(&node) {
  for (const auto& [key, pod] : snapshot.PodsOn(node.metadata.name)) {
    pods_.push_back(pod);
    for (HostPort& port : HostPortsOf(*pod)) used_ports_.insert(std::move(port));
  }
}

void NodeState::Add(const api::Ref<api::Pod>& pod) {
  pods_.push_back(pod);
  for (HostPort& port : HostPortsOf(*pod)) used_ports_.insert(std::move(port));
  changes_.push_back({pod, 1});
}

void NodeState::Remove(const api::Ref<api::Pod>& pod) {
  const auto found = std::ranges::find(pods_, pod);
  CHECK(found != pods_.end());
  pods_.erase(found);
  for (const HostPort& port : HostPortsOf(*pod)) used_ports_.erase(port);
  changes_.push_back({pod, -1});
}

std::string JoinErrors(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors[0];
  std::string all;
  for (const std::string& error : errors) all += (all.empty() ? "" : ", ") + error;
  return "[" + all + "]";
}

std::unique_ptr<Rule> MakeRule(std::string_view plugin, const EvaluationInput& input) {
  using Maker = std::unique_ptr<Rule> (*)(const EvaluationInput&);
  static const std::map<std::string_view, Maker> kMakers = {
      {"NodeUnschedulable", MakeNodeUnschedulable},
      {"NodeName", MakeNodeName},
      {"TaintToleration", MakeTaintToleration},
      {"NodeAffinity", MakeNodeAffinity},
      {"NodePorts", MakeNodePorts},
      {"NodeResourcesFit", MakeNodeResourcesFit},
      {"VolumeRestrictions", MakeVolumeRestrictions},
      {"NodeVolumeLimits", MakeNodeVolumeLimits},
      {"VolumeBinding", MakeVolumeBinding},
      {"VolumeZone", MakeVolumeZone},
      {"PodTopologySpread", MakePodTopologySpread},
      {"InterPodAffinity", MakeInterPodAffinity},
      {"DynamicResources", MakeDynamicResources},
      {"NodeResourcesBalancedAllocation", MakeNodeResourcesBalancedAllocation},
      {"ImageLocality", MakeImageLocality},
      {"NodeDeclaredFeatures", MakeNodeDeclaredFeatures},
  };
  const auto found = kMakers.find(plugin);
  return found == kMakers.end() ? nullptr : found->second(input);
}

}  // namespace berth::scheduler::reference
