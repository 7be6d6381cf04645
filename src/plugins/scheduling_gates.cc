#include "plugins/scheduling_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/cluster.h"
#include "plugins/hints.h"

namespace berth {

Verdict SchedulingGates::PreEnqueue(const Cluster&, const PodRecord& pod) const {
  const auto& gates = pod.object->spec.scheduling_gates;
  if (gates.empty()) return {};
  return {Code::kUnschedulableAndUnresolvable,
          fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " "))};
}

std::vector<Interest> SchedulingGates::Interests() const {
  return {{{Resource::kPod, kUpdatePodSchedulingGatesEliminated}}};
}

Result<bool> SchedulingGates::MayHelp(const Cluster&, const PodRecord& pod,
                                      const ClusterEvent& event) const {
  const auto other = UpdateOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  return IsSamePod(pod, *other->after);
}

}  // namespace berth
