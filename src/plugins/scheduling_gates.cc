#include "plugins/scheduling_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/cluster.h"

namespace berth {

Verdict SchedulingGates::PreEnqueue(const Cluster&, const PodRecord& pod) const {
  const auto& gates = pod.object->spec.scheduling_gates;
  if (gates.empty()) return {};
  return {Code::kUnschedulableAndUnresolvable,
          fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " "))};
}

}  // namespace berth
