#include "cluster/host_ports.h"

namespace berth {

std::vector<HostPort> HostPortsOf(const api::PodSpec& spec, SymbolTable& symbols) {
  std::vector<HostPort> ports;
  auto collect = [&](const api::Container& container) {
    for (const api::ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      ports.push_back({port.host_port,
                       symbols.Intern(port.protocol.empty() ? "TCP" : port.protocol),
                       symbols.Intern(port.host_ip.empty() ? "0.0.0.0" : port.host_ip)});
    }
  };
  for (const api::Container& container : spec.containers) collect(container);
  for (const api::Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") collect(container);
  }
  return ports;
}

}  // namespace berth
