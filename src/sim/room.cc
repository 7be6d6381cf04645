#include "sim/room.h"

#include <fmt/format.h>

#include "api/pod_resources.h"

namespace berth::sim {

bool Room::Take(const api::Pod& pod) {
  ++pods_;
  bool free = true;
  for (const auto& [name, amount] : api::PodRequests(pod, {})) taken_[name] += amount;
  for (const api::Container& container : pod.spec.containers) {
    for (const api::ContainerPort& port : container.ports) {
      if (port.host_port == 0) continue;
      free &= ports_.emplace(port.protocol, port.host_port).second;
    }
  }
  return free;
}

std::string Room::Excess(const api::Node& node) const {
  const auto& room = node.status.allocatable;
  for (const auto& [name, amount] : taken_) {
    const auto has = room.find(name);
    if (has == room.end() || amount > has->second) {
      return fmt::format("{} {} are taken, {} are there", amount.ToString(), name,
                         has == room.end() ? "0" : has->second.ToString());
    }
  }
  const auto limit = room.find("pods");
  if (limit != room.end() && pods_ > limit->second.Value()) {
    return fmt::format("{} pods are there, {} are allowed", pods_, limit->second.Value());
  }
  return "";
}

}  // namespace berth::sim
