#include "daemon/cache_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace berth::daemon {
namespace {

std::vector<std::string> Without(const std::set<std::string>& all,
                                 const std::set<std::string>& these) {
  std::vector<std::string> rest;
  std::ranges::set_difference(all, these, std::back_inserter(rest));
  return rest;
}

std::string PodLine(const Cluster& cluster, PodId id) {
  const PodRecord& pod = cluster.pod(id);
  const Symbol promised = cluster.nominations().NodeOf(id);
  return fmt::format("name: {}, namespace: {}, uid: {}, phase: {}, nominated node: {}{}\n",
                     pod.object->metadata.name, pod.object->metadata.namespace_, pod.uid(),
                     pod.object->status.phase,
                     promised.valid() ? cluster.symbols().Text(promised) : "",
                     pod.state == PodState::kAssumed ? ", assumed" : "");
}

std::string PodLines(const Cluster& cluster, std::vector<PodId> pods) {
  std::ranges::sort(pods, {}, [&](PodId id) { return cluster.pod(id).key(); });
  std::string lines;
  for (const PodId id : pods) lines += PodLine(cluster, id);
  return lines;
}

std::string Amounts(const Cluster& cluster, NodeRow row, bool requested) {
  const NodeColumns& columns = cluster.nodes().columns();
  const size_t i = row.index();
  std::string text =
      fmt::format("cpu: {}m, memory: {}, ephemeral-storage: {}, pods: {}",
                  (requested ? columns.requested_cpu : columns.allocatable_cpu)[i],
                  (requested ? columns.requested_memory : columns.allocatable_memory)[i],
                  (requested ? columns.requested_ephemeral : columns.allocatable_ephemeral)[i],
                  (requested ? columns.pod_count : columns.allocatable_pods)[i]);
  for (size_t scalar = 0; scalar < columns.scalars.size(); ++scalar) {
    const auto& column = columns.scalars[scalar];
    const int64_t amount = (requested ? column.requested : column.allocatable)[i];
    if (amount == 0) continue;
    text += fmt::format(", {}: {}", cluster.scalars().Text(ScalarId{static_cast<uint32_t>(scalar)}),
                        amount);
  }
  return text;
}

std::string DumpNode(const Cluster& cluster, NodeRow row) {
  const NodeInfo& info = cluster.nodes().info(row);
  const auto& nominated = cluster.nominations().PodsOn(info.name);
  return fmt::format(
      "Node name: {}\nDeleted: {}\nRequested Resources: {}\nAllocatable Resources: {}\n"
      "Scheduled Pods(number: {}):\n{}Nominated Pods(number: {}):\n{}",
      cluster.nodes().name(row), info.object == nullptr, Amounts(cluster, row, true),
      Amounts(cluster, row, false), info.pods.size(), PodLines(cluster, info.pods),
      nominated.size(), PodLines(cluster, nominated));
}

std::string_view NameOf(QueueEntry::Place place) {
  switch (place) {
    case QueueEntry::Place::kActive:
      return "activeQ";
    case QueueEntry::Place::kBackoff:
    case QueueEntry::Place::kErrorBackoff:
      return "backoffQ";
    case QueueEntry::Place::kParked:
      return "unschedulablePods";
    case QueueEntry::Place::kNowhere:
      return "in flight";
  }
  return "";
}

}  // namespace

CacheComparison CompareWithApi(const Engine& engine, const ApiContents& api) {
  ApiContents own;
  const Cluster& cluster = engine.cluster();
  cluster.nodes().present().ForEach([&](size_t row) {
    own.nodes.insert(cluster.nodes().name(NodeRow{static_cast<uint32_t>(row)}));
  });
  cluster.pods().ForEach([&](const PodRecord& pod) { own.pods.insert(pod.uid()); });
  return {Without(api.nodes, own.nodes), Without(own.nodes, api.nodes), Without(api.pods, own.pods),
          Without(own.pods, api.pods)};
}

std::string DumpNodes(const Engine& engine) {
  const Cluster& cluster = engine.cluster();
  std::vector<NodeRow> rows;
  for (size_t i = 0; i < cluster.nodes().rows(); ++i) {
    if (cluster.nodes().info(NodeRow{static_cast<uint32_t>(i)}).name.valid())
      rows.push_back(NodeRow{static_cast<uint32_t>(i)});
  }
  std::ranges::sort(rows, {}, [&](NodeRow row) { return cluster.nodes().name(row); });
  std::string text;
  for (const NodeRow row : rows) text += DumpNode(cluster, row);
  return text;
}

std::string DumpQueue(const Engine& engine) {
  const Cluster& cluster = engine.cluster();
  std::string text;
  cluster.pods().ForEach([&](const PodRecord& pod) {
    if (pod.state != PodState::kPending) return;
    text += fmt::format("{}: {}", NameOf(engine.queue().PlaceOf(pod.id)), PodLine(cluster, pod.id));
  });
  const SchedulingQueue::Sizes sizes = engine.queue().sizes();
  return text + fmt::format("activeQ:{}; backoffQ:{}; unschedulablePods:{}", sizes.active,
                            sizes.backoff, sizes.unschedulable + sizes.gated);
}

}  // namespace berth::daemon
