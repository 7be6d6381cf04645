#include "scheduler/groups/model_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::groups {

std::string DescribeCounts(const model::Cluster& cluster) {
  std::string text =
      fmt::format("{} placed, {} assumed\n", cluster.placed_pods(), cluster.assumed_pods());
  const model::NodeColumns& columns = cluster.nodes().columns();
  for (uint32_t row = 0; row < cluster.nodes().rows(); ++row) {
    const model::NodeInfo& info = cluster.nodes().info(model::NodeRow{row});
    if (!info.name.valid()) continue;
    text += fmt::format("{}: cpu {} memory {} ephemeral {} pods {} nonzero {} {} ports {} holds {}",
                        cluster.symbols().Text(info.name), columns.requested_cpu[row],
                        columns.requested_memory[row], columns.requested_ephemeral[row],
                        columns.pod_count[row], columns.nonzero_cpu[row],
                        columns.nonzero_memory[row], info.used_ports.size(), info.holds);
    for (model::ScalarId id : columns.listed)
      text += fmt::format(" {}={}", cluster.scalars().Text(id), columns.scalar(id)->requested[row]);
    std::set<std::string> pods;
    for (model::PodId id : info.pods) pods.insert(cluster.pod(id).key().ToString());
    text += fmt::format(" [{}]\n", fmt::join(pods, " "));
  }
  std::set<std::string> others;
  cluster.pods().ForEach([&](const model::PodRecord& pod) {
    const bool pending = pod.state == model::PodState::kPending;
    others.insert(fmt::format("{} {}", pod.key().ToString(), pending ? "pending" : "placed"));
    if (const auto group = model::GroupNamedBy(*pod.object)) {
      const model::PodGroups::Members& members = cluster.groups().Of(*group);
      others.insert(fmt::format("{}: {} pending, {} scheduled", group->ToString(),
                                members.pending.size(), members.scheduled.size()));
    }
  });
  return text + fmt::format("{}\n", fmt::join(others, "\n"));
}

}  // namespace berth::scheduler::groups
