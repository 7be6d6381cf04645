#include "scheduler/model/resources.h"

#include <algorithm>

#include "base/saturating.h"

namespace berth::scheduler::model {

// DIFFERS: kube-scheduler wraps around beyond 64 bits, and a negative request of a placed pod makes
// room for others.
int64_t AmountOf(std::string_view resource, const api::Quantity& quantity) {
  return std::max<int64_t>(resource == "cpu" ? quantity.MilliValue() : quantity.Value(), 0);
}

ResourceVector ResourceVector::From(const api::ResourceList& list, ScalarHolder& names) {
  ResourceVector vector;
  for (const auto& [name, quantity] : list) {
    const int64_t amount = AmountOf(name, quantity);
    if (name == "cpu") {
      vector.milli_cpu = amount;
    } else if (name == "memory") {
      vector.memory = amount;
    } else if (name == "ephemeral-storage") {
      vector.ephemeral_storage = amount;
    } else if (name == "pods") {
      vector.pods = amount;
    } else if (api::IsScalarResource(name)) {
      vector.scalars.push_back({names.Intern(name), amount});
    }
  }
  return vector;
}

int64_t ResourceVector::ScalarAmount(ScalarId id) const {
  const auto found = std::ranges::find(scalars, id, &Scalar::id);
  return found != scalars.end() ? found->amount : 0;
}

void ResourceVector::Add(const ResourceVector& other) {
  milli_cpu = SaturatingAdd(milli_cpu, other.milli_cpu);
  memory = SaturatingAdd(memory, other.memory);
  ephemeral_storage = SaturatingAdd(ephemeral_storage, other.ephemeral_storage);
  pods = SaturatingAdd(pods, other.pods);
  for (const Scalar& scalar : other.scalars) {
    const auto own = std::ranges::find(scalars, scalar.id, &Scalar::id);
    if (own == scalars.end()) {
      scalars.push_back(scalar);
    } else {
      own->amount = SaturatingAdd(own->amount, scalar.amount);
    }
  }
}

bool ResourceVector::IsSmall() const {
  return IsSmallAmount(milli_cpu) && IsSmallAmount(memory) && IsSmallAmount(ephemeral_storage) &&
         std::ranges::all_of(scalars, IsSmallAmount, &Scalar::amount);
}

api::PodRequestOptions NewPodRequests(const Features& features) {
  return {.skip_pod_level = !features.pod_level_resources};
}

api::PodRequestOptions PlacedPodRequests(const Features& features) {
  api::PodRequestOptions options = ScaledPodRequests(features);
  options.skip_pod_level = !features.pod_level_resources;
  return options;
}

api::PodRequestOptions ScaledPodRequests(const Features& features) {
  return {.use_status = true,
          .pod_level_resize = features.in_place_pod_level_resources_vertical_scaling};
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
