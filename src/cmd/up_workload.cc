#include "cmd/up_workload.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kinds/json_access.h"

namespace berth {
namespace {

using apiserver::Json;
using apiserver::JsonObject;

// One kind of workload: so many objects with so many pods each.
struct Workload {
  const char* kind;  // "deployments.apps"
  const char* space;
  const char* name;
  int objects;
  int pods;  // Of each object.
  const char* cpu;
  const char* memory;
  // Continues the pods' spec, as JSON in which $app is the object's name.
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
    // These say why they wait: no node is large enough, none has the label, and there are three
    // zones for five that must be apart.
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

Status Create(apiserver::Api& api, std::string_view kind, std::string_view space,
              const std::string& text) {
  boost::json::error_code error;
  Json document = boost::json::parse(text, error);
  if (error) return Fail("the demonstration's " + text + ": " + error.message());
  const auto created = api.Create(apiserver::KindOf(kind), space, std::move(document));
  if (created || created.error().reason == "AlreadyExists") return {};
  return Fail(created.error().message);
}

Status CreateSurroundings(apiserver::Api& api) {
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

Result<size_t> CreateDemoWorkloads(apiserver::Api& api) {
  if (auto made = CreateSurroundings(api); !made) return std::unexpected(made.error());
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

}  // namespace berth
