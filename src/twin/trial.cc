#include "twin/trial.h"

#include "base/check.h"

namespace berth::twin {
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

Trial::Trial(const World& world, const api::Node& node) : node_(&node) {
  for (const auto& [key, pod] : world.PodsOn(node.metadata.name)) {
    pods_.push_back(pod);
    for (HostPort& port : HostPortsOf(*pod)) used_ports_.insert(std::move(port));
  }
}

void Trial::Add(const api::Ref<api::Pod>& pod) {
  pods_.push_back(pod);
  for (HostPort& port : HostPortsOf(*pod)) used_ports_.insert(std::move(port));
  changes_.push_back({pod, 1});
}

void Trial::Remove(const api::Ref<api::Pod>& pod) {
  const auto found = std::ranges::find(pods_, pod);
  CHECK(found != pods_.end());
  pods_.erase(found);
  for (const HostPort& port : HostPortsOf(*pod)) used_ports_.erase(port);
  changes_.push_back({pod, -1});
}

}  // namespace berth::twin
