#include "scheduler/model/resources.h"

#include <algorithm>

#include "api/pod_resources.h"

namespace berth::scheduler::model {

ResourceVector ResourceVector::From(const api::ResourceList& list, ScalarHolder& names) {
  ResourceVector vector;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      vector.milli_cpu = quantity.MilliValue();
    } else if (name == "memory") {
      vector.memory = quantity.Value();
    } else if (name == "ephemeral-storage") {
      vector.ephemeral_storage = quantity.Value();
    } else if (name == "pods") {
      vector.pods = quantity.Value();
    } else if (api::IsScalarResource(name)) {
      vector.scalars.push_back({names.Intern(name), quantity.Value()});
    }
  }
  return vector;
}

ResourceVector ResourceVector::FromRequests(const api::ResourceList& list, ScalarHolder& names) {
  ResourceVector vector = From(list, names);
  vector.milli_cpu = std::max<int64_t>(vector.milli_cpu, 0);
  vector.memory = std::max<int64_t>(vector.memory, 0);
  vector.ephemeral_storage = std::max<int64_t>(vector.ephemeral_storage, 0);
  for (Scalar& scalar : vector.scalars) scalar.amount = std::max<int64_t>(scalar.amount, 0);
  return vector;
}

int64_t ResourceVector::ScalarAmount(ScalarId id) const {
  const auto found = std::ranges::find(scalars, id, &Scalar::id);
  return found != scalars.end() ? found->amount : 0;
}

std::vector<HostPort> HostPortsOf(const api::PodSpec& spec, SymbolHolder& symbols) {
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

}  // namespace berth::scheduler::model
