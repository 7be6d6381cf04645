#include "runtime/cache_debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <iterator>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/escaping.h"
#include "observability/log.h"
#include "runtime/watched_resources.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::runtime {
namespace {

std::vector<std::string> Without(const std::set<std::string>& all,
                                 const std::set<std::string>& these) {
  std::vector<std::string> rest;
  std::ranges::set_difference(all, these, std::back_inserter(rest));
  return rest;
}

std::string PodLine(const scheduler::model::Cluster& cluster, scheduler::model::PodId id) {
  const scheduler::model::PodRecord& pod = cluster.pod(id);
  const Symbol promised = cluster.nominations().NodeOf(id);
  return fmt::format("name: {}, namespace: {}, uid: {}, phase: {}, nominated node: {}{}\n",
                     pod.object->metadata.name, pod.object->metadata.namespace_, pod.uid(),
                     pod.object->status.phase,
                     promised.valid() ? cluster.symbols().Text(promised) : "",
                     pod.state == scheduler::model::PodState::kAssumed ? ", assumed" : "");
}

std::string PodLines(const scheduler::model::Cluster& cluster,
                     std::vector<scheduler::model::PodId> pods) {
  std::ranges::sort(pods, {}, [&](scheduler::model::PodId id) { return cluster.pod(id).key(); });
  std::string lines;
  for (const scheduler::model::PodId id : pods) lines += PodLine(cluster, id);
  return lines;
}

std::string Amounts(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row,
                    bool requested) {
  const scheduler::model::NodeColumns& columns = cluster.nodes().columns();
  const size_t i = row.index();
  std::string text =
      fmt::format("cpu: {}m, memory: {}, ephemeral-storage: {}, pods: {}",
                  (requested ? columns.requested_cpu : columns.allocatable_cpu)[i],
                  (requested ? columns.requested_memory : columns.allocatable_memory)[i],
                  (requested ? columns.requested_ephemeral : columns.allocatable_ephemeral)[i],
                  (requested ? columns.pod_count : columns.allocatable_pods)[i]);
  for (scheduler::model::ScalarId scalar : columns.listed) {
    const auto& column = *columns.scalar(scalar);
    const int64_t amount = (requested ? column.requested : column.allocatable)[i];
    if (amount != 0) text += fmt::format(", {}: {}", cluster.scalars().Text(scalar), amount);
  }
  return text;
}

std::string DumpNode(const scheduler::model::Cluster& cluster, scheduler::model::NodeRow row) {
  const scheduler::model::NodeInfo& info = cluster.nodes().info(row);
  const auto& nominated = cluster.nominations().PodsOn(info.name);
  return fmt::format(
      "Node name: {}\nDeleted: {}\nRequested Resources: {}\nAllocatable Resources: {}\n"
      "Scheduled Pods(number: {}):\n{}Nominated Pods(number: {}):\n{}",
      cluster.nodes().name(row), info.object == nullptr, Amounts(cluster, row, true),
      Amounts(cluster, row, false), info.pods.size(), PodLines(cluster, info.pods),
      nominated.size(), PodLines(cluster, nominated));
}

std::string_view NameOf(scheduler::queue::QueueEntry::Place place) {
  switch (place) {
    case scheduler::queue::QueueEntry::Place::kActive:
      return "activeQ";
    case scheduler::queue::QueueEntry::Place::kBackoff:
    case scheduler::queue::QueueEntry::Place::kErrorBackoff:
      return "backoffQ";
    case scheduler::queue::QueueEntry::Place::kUnschedulable:
      return "unschedulablePods";
    case scheduler::queue::QueueEntry::Place::kNowhere:
      return "in flight";
  }
  return "";
}

}  // namespace

CacheComparison CompareWithApi(const scheduler::engine::Engine& engine, const ApiContents& api) {
  ApiContents own;
  const scheduler::model::Cluster& cluster = engine.cluster();
  cluster.nodes().present().ForEach([&](size_t row) {
    own.nodes.insert(cluster.nodes().name(scheduler::model::NodeRow{static_cast<uint32_t>(row)}));
  });
  cluster.pods().ForEach(
      [&](const scheduler::model::PodRecord& pod) { own.pods.insert(pod.uid()); });
  return {Without(api.nodes, own.nodes), Without(own.nodes, api.nodes), Without(api.pods, own.pods),
          Without(own.pods, api.pods)};
}

std::string DumpNodes(const scheduler::engine::Engine& engine) {
  const scheduler::model::Cluster& cluster = engine.cluster();
  std::vector<scheduler::model::NodeRow> rows;
  for (size_t i = 0; i < cluster.nodes().rows(); ++i) {
    if (cluster.nodes().info(scheduler::model::NodeRow{static_cast<uint32_t>(i)}).name.valid())
      rows.push_back(scheduler::model::NodeRow{static_cast<uint32_t>(i)});
  }
  std::ranges::sort(rows, {},
                    [&](scheduler::model::NodeRow row) { return cluster.nodes().name(row); });
  std::string text;
  for (const scheduler::model::NodeRow row : rows) text += DumpNode(cluster, row);
  return text;
}

std::string DumpQueue(const scheduler::engine::Engine& engine) {
  const scheduler::model::Cluster& cluster = engine.cluster();
  std::string text;
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (pod.state != scheduler::model::PodState::kPending) return;
    const scheduler::queue::QueueEntry::Place place = engine.queue().PlaceOf(pod.id);
    const bool of_others = place == scheduler::queue::QueueEntry::Place::kNowhere &&
                           !engine.queue().InFlightNow(pod.uid());
    if (!of_others) text += fmt::format("{}: {}", NameOf(place), PodLine(cluster, pod.id));
  });
  const scheduler::queue::SchedulingQueue::Sizes sizes = engine.queue().sizes();
  return text + fmt::format("activeQ:{}; backoffQ:{}; unschedulablePods:{}", sizes.active,
                            sizes.backoff, sizes.unschedulable + sizes.gated);
}

namespace {

using api::ArrayAt;
using api::AsObject;
using api::ObjectAt;
using api::StringAt;

Status List(Scheduler& scheduler, const std::string& path, bool uids, std::set<std::string>& into) {
  std::string continued;
  do {
    const auto body = client::GetAndWait(
        scheduler.requests(),
        continued.empty() ? path : path + "&continue=" + client::QueryEscape(continued));
    if (!body) return std::unexpected(body.error());
    auto next = ReadPage(*body, uids, into);
    if (!next) return std::unexpected(next.error());
    continued = *std::move(next);
  } while (!continued.empty());
  return {};
}

void LogMismatch(const CacheComparison& comparison) {
  if (!comparison.missed_nodes.empty() || !comparison.redundant_nodes.empty()) {
    LOG_INFO("Cache mismatch", {{"missedNodes", comparison.missed_nodes},
                                {"redundantNodes", comparison.redundant_nodes}});
  }
  if (!comparison.missed_pods.empty() || !comparison.redundant_pods.empty()) {
    LOG_INFO("Cache mismatch", {{"missedPods", comparison.missed_pods},
                                {"redundantPods", comparison.redundant_pods}});
  }
}

}  // namespace

Result<std::string> ReadPage(std::string_view body, bool uids, std::set<std::string>& into) {
  const auto list = api::ParseJson(body);
  const auto* items = list ? ArrayAt(AsObject(*list), "items") : nullptr;
  if (items == nullptr) return Fail("the API server's response is no list");
  for (const auto& item : *items) {
    into.emplace(StringAt(ObjectAt(AsObject(item), "metadata"), uids ? "uid" : "name"));
  }
  return std::string(StringAt(ObjectAt(AsObject(*list), "metadata"), "continue"));
}

void ReportCache(Scheduler& scheduler) {
  // Before that there may be no thread to answer.
  if (!scheduler.synced()) return LOG_WARNING("Nothing to dump: the caches are not synced yet");
  ApiContents api;
  Status listed = List(scheduler, "/api/v1/nodes?limit=500", false, api.nodes);
  if (listed) {
    listed = List(scheduler,
                  fmt::format("/api/v1/pods?limit=500&fieldSelector={}",
                              client::QueryEscape(FindWatchedResource("pods").field_selector)),
                  true, api.pods);
  }
  if (!listed) LOG_ERROR(listed.error(), "Cannot compare the cache with the API");
  // One visit, so that the dump is consistent; the log is written on this thread.
  CacheComparison comparison;
  std::string nodes, pods;
  const bool ran = scheduler.driver().RunBetweenSteps([&](const scheduler::engine::Engine& engine) {
    if (listed) comparison = CompareWithApi(engine, api);
    nodes = DumpNodes(engine);
    pods = DumpQueue(engine);
  });
  if (!ran) return;
  if (listed) LogMismatch(comparison);
  LOG_INFO("Dump of cached NodeInfo", {{"nodes", nodes}});
  LOG_INFO("Dump of scheduling queue", {{"pods", pods}});
}

}  // namespace berth::runtime
