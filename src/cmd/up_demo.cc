#include "cmd/up_demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/pod_resources.h"
#include "api/scheme/scheme.h"
#include "base/saturating.h"
#include "base/text_table.h"
#include "cmd/up_status.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {
namespace {

using api::Json;
using api::JsonObject;

// Identical workload objects.
struct Workload {
  const char* kind;  // "deployments.apps"
  const char* space;
  const char* name;
  int objects;
  int pods;  // Per object.
  const char* cpu;
  const char* memory;
  // Further fields of the pod spec, as JSON; $app is replaced by the object's name.
  const char* placement = "";
};

constexpr const char* kSpread =
    R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
    R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"$app"}}},)"
    R"({"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway",)"
    R"("labelSelector":{"matchLabels":{"app":"$app"}}}])";
constexpr const char* kApartByNode =
    R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{)"
    R"("topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"$app"}}}]}})";
constexpr const char* kApartByZone =
    R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{)"
    R"("topologyKey":"topology.kubernetes.io/zone","labelSelector":{"matchLabels":{"app":"$app"}}})"
    R"(]}})";
constexpr const char* kNearTheWeb =
    R"(,"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":50,)"
    R"("podAffinityTerm":{"topologyKey":"topology.kubernetes.io/zone","namespaces":["shop"],)"
    R"("labelSelector":{"matchLabels":{"app":"web-01"}}}}]}})";
constexpr const char* kUrgent = R"(,"priorityClassName":"urgent")";
constexpr const char* kBatch = R"(,"priorityClassName":"batch","restartPolicy":"Never")";
constexpr const char* kGpu = R"(,"nodeSelector":{"accelerator":"gpu"})";

constexpr Workload kWorkloads[] = {
    {"deployments.apps", "shop", "web", 20, 150, "500m", "512Mi", kSpread},
    {"deployments.apps", "shop", "api", 10, 100, "1", "1Gi", kApartByNode},
    {"deployments.apps", "shop", "payments", 5, 200, "1", "2Gi", kUrgent},
    {"deployments.apps", "shop", "cache", 25, 67, "250m", "2Gi", kNearTheWeb},
    {"statefulsets.apps", "data", "store", 20, 10, "2", "8Gi", kApartByNode},
    {"jobs.batch", "science", "simulate", 30, 100, "1500m", "1Gi", kBatch},
    {"deployments.apps", "science", "worker", 1, 100, "2", "4Gi"},
    // These stay pending: no node is large enough, none has the label, and five pods with zone
    // anti-affinity have three zones.
    {"deployments.apps", "science", "giant", 1, 12, "48", "64Gi"},
    {"deployments.apps", "science", "train", 1, 8, "4", "16Gi", kGpu},
    {"deployments.apps", "data", "quorum", 1, 5, "1", "1Gi", kApartByZone},
};

std::string Filled(std::string_view text, std::string_view app) {
  constexpr std::string_view kMark = "$app";
  std::string out;
  for (size_t at; (at = text.find(kMark)) != text.npos; text.remove_prefix(at + kMark.size())) {
    out.append(text.substr(0, at)).append(app);
  }
  return out.append(text);
}

std::string SpecText(const Workload& workload, const std::string& app) {
  const std::string template_ = fmt::format(
      R"("template":{{"metadata":{{"labels":{{"app":"{0}"}}}},"spec":{{"containers":[{{"name":"main",)"
      R"("image":"registry.example.com/{0}:1.0","resources":{{"requests":{{"cpu":"{1}",)"
      R"("memory":"{2}"}}}}}}]{3}}}}})",
      app, workload.cpu, workload.memory, Filled(workload.placement, app));
  if (std::string_view(workload.kind) == "jobs.batch") {
    return fmt::format(R"({{"parallelism":{0},"completions":{0},{1}}})", workload.pods, template_);
  }
  const char* more = std::string_view(workload.kind) == "statefulsets.apps"
                         ? R"("serviceName":"store","podManagementPolicy":"Parallel",)"
                         : "";
  return fmt::format(R"({{"replicas":{},{}"selector":{{"matchLabels":{{"app":"{}"}}}},{}}})",
                     workload.pods, more, app, template_);
}

Status Create(apiserver::registry::Api& api, std::string_view kind, std::string_view space,
              const std::string& text) {
  auto document = api::ParseJson(text);
  if (!document) return Fail("demo object " + text + ": " + document.error().message);
  const auto created = api.Create(api::scheme::KindOf(kind), space, *std::move(document));
  if (created || created.error().reason == "AlreadyExists") return {};
  return Fail(created.error().message);
}

Status CreateNamespacesAndPriorityClasses(apiserver::registry::Api& api) {
  for (const char* space : {"shop", "data", "science"}) {
    if (auto made =
            Create(api, "namespaces", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", space));
        !made) {
      return made;
    }
  }
  const std::pair<const char*, int> classes[] = {{"urgent", 100'000}, {"batch", -10}};
  for (const auto& [name, value] : classes) {
    if (auto made =
            Create(api, "priorityclasses.scheduling.k8s.io", "",
                   fmt::format(R"({{"metadata":{{"name":"{}"}},"value":{}}})", name, value));
        !made) {
      return made;
    }
  }
  return {};
}

}  // namespace

Result<size_t> CreateDemoWorkloads(apiserver::registry::Api& api) {
  if (auto made = CreateNamespacesAndPriorityClasses(api); !made)
    return std::unexpected(made.error());
  size_t pods = 0;
  for (const Workload& workload : kWorkloads) {
    for (int i = 1; i <= workload.objects; ++i) {
      const std::string app =
          workload.objects == 1 ? workload.name : fmt::format("{}-{:02}", workload.name, i);
      const auto made = Create(
          api, workload.kind, workload.space,
          fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"app":"{0}"}}}},"spec":{1}}})", app,
                      SpecText(workload, app)));
      if (!made) return std::unexpected(made.error());
      pods += static_cast<size_t>(workload.pods);
    }
  }
  return pods;
}

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

std::string PercentilesText(const runtime::LatencyHistogram& latencies) {
  return fmt::format("p50 {}   p90 {}   p99 {}", TimeText(latencies.Percentile(50)),
                     TimeText(latencies.Percentile(90)), TimeText(latencies.Percentile(99)));
}

std::string ShareText(int64_t used, int64_t capacity) {
  if (capacity == 0) return "-";
  return fmt::format("{:.0f}%", 100 * static_cast<double>(used) / static_cast<double>(capacity));
}

// The full message is in the pod's condition; the summary omits the part about preemption.
std::string_view FirstSentence(std::string_view message) {
  const size_t end = message.find(". ");
  return end == message.npos ? message : message.substr(0, end + 1);
}

std::string ZoneTable(const std::vector<ZoneUtilization>& zones) {
  using enum TextTable::Align;
  TextTable table("  ", {kLeft, kRight, kRight, kRight, kRight});
  table.Add({"zone", "nodes", "pods", "cpu", "memory"});
  for (const ZoneUtilization& zone : zones) {
    table.Add({zone.zone, WithCommas(zone.nodes), WithCommas(zone.pods),
               ShareText(zone.milli_cpu, zone.milli_cpu_capacity),
               ShareText(zone.memory, zone.memory_capacity)});
  }
  return table.ToString();
}

}  // namespace

std::vector<ZoneUtilization> ZoneUsage(apiserver::store::Store& store) {
  const auto add = [](int64_t& sum, int64_t amount) { sum = SaturatingAdd(sum, amount); };
  std::map<std::string, ZoneUtilization> zones;
  std::map<std::string, ZoneUtilization*, std::less<>> zone_of;
  for (const auto& object : store.List(api::scheme::KindOf("nodes").collection, {}).objects) {
    const auto node = api::DecodeJsonAs<api::Node>(object->json);
    if (!node) continue;
    const auto label = (*node)->metadata.labels.find(kZoneLabel);
    const std::string name = label == (*node)->metadata.labels.end() ? "(none)" : label->second;
    ZoneUtilization& zone = zones[name];
    zone.zone = name;
    ++zone.nodes;
    add(zone.milli_cpu_capacity, MilliOf((*node)->status.allocatable, "cpu"));
    add(zone.memory_capacity, ValueOf((*node)->status.allocatable, "memory"));
    zone_of[(*node)->metadata.name] = &zone;
  }
  for (const auto& object : store.List(api::scheme::KindOf("pods").collection, {}).objects) {
    const auto pod = api::DecodeJsonAs<api::Pod>(object->json);
    if (!pod || (*pod)->finished()) continue;
    const auto found = zone_of.find((*pod)->spec.node_name);
    if (found == zone_of.end()) continue;
    const api::ResourceList requests = api::PodRequests(**pod, {});
    ++found->second->pods;
    add(found->second->milli_cpu, MilliOf(requests, "cpu"));
    add(found->second->memory, ValueOf(requests, "memory"));
  }
  std::vector<ZoneUtilization> sorted;
  for (auto& [name, zone] : zones) sorted.push_back(std::move(zone));
  return sorted;
}

std::string SummaryText(const DemoResult& result) {
  const runtime::DriverSnapshot& scheduling = result.scheduling;
  std::string text =
      fmt::format("scheduled  {} pods", WithCommas(result.counts.bound + result.counts.finished));
  // After a restart there may be no pods left to bind.
  if (scheduling.binds > 0) {
    const double rate =
        static_cast<double>(scheduling.binds) / std::max(result.took.seconds(), 1e-9);
    text += fmt::format(" in {}, {} pods/s", TimeText(result.took),
                        WithCommas(static_cast<uint64_t>(rate)));
  }
  text += fmt::format("\npending    {} pods\n", WithCommas(result.counts.pending));
  for (const PendingGroup& group : result.pending.groups) {
    text += fmt::format("  {:>6}  {}\n", WithCommas(group.pods), FirstSentence(group.message));
  }
  if (result.pending.undecided > 0) {
    text += fmt::format("  {:>6}  not yet attempted\n", WithCommas(result.pending.undecided));
  }
  if (scheduling.created_to_bound.count() > 0) {
    text += fmt::format("\ncreated to bound    {}", PercentilesText(scheduling.created_to_bound));
  }
  if (scheduling.decision_time.count() > 0) {
    text += fmt::format("\nscheduling attempt  {}\n", PercentilesText(scheduling.decision_time));
  }
  text += fmt::format("\nrequested, {} nodes\n{}", WithCommas(result.counts.nodes),
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
    const apiserver::store::ObjectName& pod = result.pending.groups.front().example;
    text += fmt::format("  kubectl describe pod -n {} {}\n", pod.namespace_, pod.name);
  }
  return text + "  kubectl scale -n science deployment/worker --replicas=2000\n";
}

std::string NextStepsAfterExit() {
  return "Next:\n"
         "  berth up --demo                                in a terminal: keeps running, for "
         "kubectl\n"
         "  berth up --nodes 100 -f FILE                   a cluster with your own workloads\n"
         "  berth schedule -f examples/decisions --explain explains where pods are scheduled, and "
         "why\n";
}

namespace {

constexpr Duration kPollInterval = Duration::Millis(50);
// On a busy machine the summary is printed after this time even if pods are left.
constexpr Duration kTimeLimit = Duration::Seconds(120);
// Reading the messages of more pods than this would slow down the run.
constexpr size_t kFewPending = 1'000;

// Reports whether every pod exists and is bound or unschedulable.
bool IsOver(const DemoResult& result, size_t pods) {
  return result.counts.pods >= pods && result.counts.pending <= kFewPending &&
         result.pending.undecided == 0;
}

}  // namespace

Result<std::optional<DemoResult>> RunDemoWorkloads(UpCluster& cluster, bool terminal) {
  const Instant start = cluster.real_clock().Now();
  const auto pods = CreateDemoWorkloads(cluster.api());
  if (!pods) return std::unexpected(pods.error());
  StatusLine line(terminal);
  if (!terminal) {
    line.Show("scheduling " + WithCommas(*pods) + " pods on " + WithCommas(kDemoNodes) + " nodes");
  }
  DemoResult result;
  do {
    if (WaitForSignal(kPollInterval)) return std::nullopt;
    result.took = cluster.real_clock().Now() - start;
    result.counts = CountCluster(cluster.store());
    if (result.counts.pending <= kFewPending) result.pending = GroupPendingPods(cluster.store());
    if (terminal) line.Show(ProgressText(result.counts.bound + result.counts.finished, *pods));
  } while (!IsOver(result, *pods) && result.took < kTimeLimit);
  // The counts of the last poll are older than its pending pods.
  result.counts = CountCluster(cluster.store());
  result.scheduling = *cluster.scheduling();
  result.zones = ZoneUsage(cluster.store());
  return result;
}

}  // namespace berth::cmd
