#include "scheduler/plugins/scheduling_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {

framework::Verdict SchedulingGates::PreEnqueue(const model::Cluster&,
                                               const model::PodRecord& pod) const {
  const auto& gates = pod.object->spec.scheduling_gates;
  if (gates.empty()) return {};
  return {framework::Code::kUnschedulableAndUnresolvable,
          fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " "))};
}

std::vector<framework::ClusterEventWithHint> SchedulingGates::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kUpdatePodSchedulingGatesEliminated}}};
}

Result<bool> SchedulingGates::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                           const framework::ClusterEvent& event) const {
  const auto other = UpdateOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  return IsSamePod(pod, *other->after);
}

}  // namespace berth::scheduler::plugins
