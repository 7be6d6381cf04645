#include "cmd/up_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/decode.h"
#include "api/pod_resources.h"
#include "cmd/text_table.h"
#include "cmd/up_status_line.h"
#include "kinds/kinds.h"

namespace berth {
namespace {

constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";

int64_t MilliOf(const api::ResourceList& list, const char* resource) {
  const auto found = list.find(resource);
  return found == list.end() ? 0 : found->second.MilliValue();
}
int64_t ValueOf(const api::ResourceList& list, const char* resource) {
  const auto found = list.find(resource);
  return found == list.end() ? 0 : found->second.Value();
}

std::string TimeText(Duration duration) {
  const double seconds = duration.seconds();
  if (seconds < 0.001) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string PercentilesText(const driver::LatencyHistogram& latencies) {
  return fmt::format("p50 {}   p90 {}   p99 {}", TimeText(latencies.Percentile(50)),
                     TimeText(latencies.Percentile(90)), TimeText(latencies.Percentile(99)));
}

std::string ShareText(int64_t used, int64_t room) {
  if (room == 0) return "-";
  return fmt::format("{:.0f}%", 100 * static_cast<double>(used) / static_cast<double>(room));
}

// The whole message is in the pod; what preemption could not do about it is left out here.
std::string_view FirstSentence(std::string_view message) {
  const size_t end = message.find(". ");
  return end == message.npos ? message : message.substr(0, end + 1);
}

std::string ZoneTable(const std::vector<ZoneUse>& zones) {
  using enum TextTable::Align;
  TextTable table("  ", {kLeft, kRight, kRight, kRight, kRight});
  table.Add({"zone", "nodes", "pods", "cpu", "memory"});
  for (const ZoneUse& zone : zones) {
    table.Add({zone.zone, WithCommas(zone.nodes), WithCommas(zone.pods),
               ShareText(zone.milli_cpu, zone.milli_cpu_room),
               ShareText(zone.memory, zone.memory_room)});
  }
  return table.ToString();
}

}  // namespace

std::vector<ZoneUse> UseOfZones(store::Store& store) {
  std::map<std::string, ZoneUse> zones;
  std::map<std::string, ZoneUse*, std::less<>> zone_of;
  for (const auto& object : store.List(apiserver::KindOf("nodes").collection, {}).objects) {
    const auto node = api::DecodeJsonAs<api::Node>(object->json);
    if (!node) continue;
    const auto label = (*node)->metadata.labels.find(kZoneLabel);
    const std::string name = label == (*node)->metadata.labels.end() ? "(none)" : label->second;
    ZoneUse& zone = zones[name];
    zone.zone = name;
    ++zone.nodes;
    zone.milli_cpu_room += MilliOf((*node)->status.allocatable, "cpu");
    zone.memory_room += ValueOf((*node)->status.allocatable, "memory");
    zone_of[(*node)->metadata.name] = &zone;
  }
  for (const auto& object : store.List(apiserver::KindOf("pods").collection, {}).objects) {
    const auto pod = api::DecodeJsonAs<api::Pod>(object->json);
    if (!pod || (*pod)->finished()) continue;
    const auto found = zone_of.find((*pod)->spec.node_name);
    if (found == zone_of.end()) continue;
    const api::ResourceList requests = api::PodRequests(**pod, {});
    ++found->second->pods;
    found->second->milli_cpu += MilliOf(requests, "cpu");
    found->second->memory += ValueOf(requests, "memory");
  }
  std::vector<ZoneUse> sorted;
  for (auto& [name, zone] : zones) sorted.push_back(std::move(zone));
  return sorted;
}

std::string SummaryText(const DemoResult& result) {
  const driver::DriverSnapshot& scheduling = result.scheduling;
  std::string text =
      fmt::format("placed   {} pods", WithCommas(result.counts.bound + result.counts.finished));
  // After a restart there may have been nothing left to do.
  if (scheduling.binds > 0) {
    const double rate =
        static_cast<double>(scheduling.binds) / std::max(result.took.seconds(), 1e-9);
    text += fmt::format(" in {}, {} a second", TimeText(result.took),
                        WithCommas(static_cast<uint64_t>(rate)));
  }
  text += fmt::format("\npending  {} pods\n", WithCommas(result.counts.pending));
  for (const PendingGroup& group : result.pending.groups) {
    text += fmt::format("  {:>6}  {}\n", WithCommas(group.pods), FirstSentence(group.message));
  }
  if (result.pending.undecided > 0) {
    text += fmt::format("  {:>6}  not tried yet\n", WithCommas(result.pending.undecided));
  }
  if (scheduling.created_to_bound.count() > 0) {
    text += fmt::format("\ncreated to bound  {}", PercentilesText(scheduling.created_to_bound));
  }
  if (scheduling.decision_time.count() > 0) {
    text += fmt::format("\none decision      {}\n", PercentilesText(scheduling.decision_time));
  }
  text += fmt::format("\nasked for, of {} nodes\n{}", WithCommas(result.counts.nodes),
                      ZoneTable(result.zones));
  return text;
}

std::string NextSteps(const DemoResult& result, const std::string& export_line) {
  std::string text = fmt::format(
      "Next, in another terminal:\n"
      "  {}\n"
      "  kubectl get nodes -L topology.kubernetes.io/zone\n"
      "  kubectl get deployments,statefulsets,jobs -A\n"
      "  kubectl get pods -A --field-selector=spec.nodeName=\n",
      export_line);
  if (!result.pending.groups.empty()) {
    const store::ObjectName& pod = result.pending.groups.front().example;
    text += fmt::format("  kubectl describe pod -n {} {}\n", pod.namespace_, pod.name);
  }
  return text + "  kubectl scale -n science deployment/worker --replicas=2000\n";
}

std::string StepsAfterwards() {
  return "Next:\n"
         "  berth up --demo                        the same in a terminal: it stays up for "
         "kubectl\n"
         "  berth up --nodes 100 -f FILE           a cluster with your own workloads\n"
         "  berth schedule -f examples --explain   why pods go where they go\n";
}

}  // namespace berth
