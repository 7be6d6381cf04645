#include "apiserver/admission/quota_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "api/json/document.h"
#include "api/pod_resources.h"
#include "api/scheme/scheme.h"
#include "api/selector.h"
#include "api/timestamp.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/pod_limits.h"
#include "apiserver/admission/strategy.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";

// Kinds that quotas count under their plain name, too.
constexpr std::array<std::string_view, 7> kPlainCounts = {"pods",
                                                          "services",
                                                          "secrets",
                                                          "configmaps",
                                                          "persistentvolumeclaims",
                                                          "resourcequotas",
                                                          "replicationcontrollers"};
// What a container must request, or limit, if a quota counts it.
constexpr std::array<std::string_view, 6> kMandatory = {
    "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
constexpr std::array<std::string_view, 3> kComputed = {"cpu", "memory", "ephemeral-storage"};

bool IsCore(const api::scheme::Kind& kind, std::string_view resource) {
  return kind.group.empty() && kind.resource == resource;
}

bool HasPlainCount(const api::scheme::Kind& kind) {
  return kind.group.empty() && std::ranges::find(kPlainCounts, kind.resource) != kPlainCounts.end();
}

std::string ObjectCount(const api::scheme::Kind& kind) { return "count/" + kind.group_resource(); }

// Returns what requests and limits use of a quota.
api::ResourceList ComputeUsage(const PodResources& own) {
  api::ResourceList usage;
  for (const auto& [name, amount] : own.requests) {
    const bool computed = std::ranges::find(kComputed, name) != kComputed.end();
    const bool huge = name.starts_with(kHugePages);
    if (computed || huge) usage[name] = amount;
    if (computed || huge || api::IsExtendedResource(name)) {
      usage[std::string(kRequests) + name] = amount;
    }
  }
  for (const auto& [name, amount] : own.limits) {
    if (std::ranges::find(kComputed, name) != kComputed.end()) {
      usage[std::string(kLimits) + name] = amount;
    }
  }
  return usage;
}

// Reports whether the pod still uses compute resources.
bool IsAlive(const api::JsonObject& pod, Instant now) {
  const std::string_view phase = api::StringAt(api::ObjectAt(&pod, "status"), "phase");
  if (phase == "Succeeded" || phase == "Failed") return false;
  const api::JsonObject* metadata = MetadataOf(pod);
  const auto deleted = api::ParseTimestamp(api::StringAt(metadata, "deletionTimestamp"));
  return !deleted || now <= *deleted;
}

void AddPodUsage(const api::JsonObject& pod, Instant now, api::ResourceList& usage) {
  if (!IsAlive(pod, now)) return;
  usage.merge(ComputeUsage(ResourcesOfPod(pod, true)));
  usage["pods"] = api::Quantity::FromValue(1);
}

void AddServiceUsage(const api::JsonObject& service, api::ResourceList& usage) {
  const api::JsonObject* spec = api::ObjectAt(&service, "spec");
  const std::string_view type = api::StringAt(spec, "type");
  const api::JsonArray* ports = api::ArrayAt(spec, "ports");
  int64_t node_ports = 0;
  if (type == "NodePort") {
    node_ports = ports ? static_cast<int64_t>(ports->size()) : 0;
  } else if (type == "LoadBalancer") {
    for (size_t i = 0; ports && i < ports->size(); ++i) {
      node_ports += api::IntAt(api::AsObject((*ports)[i]), "nodePort").value_or(0) != 0;
    }
  }
  usage["services.nodeports"] = api::Quantity::FromValue(node_ports);
  usage["services.loadbalancers"] = api::Quantity::FromValue(type == "LoadBalancer" ? 1 : 0);
}

void AddClaimUsage(const api::JsonObject& claim, api::ResourceList& usage) {
  const api::JsonObject* spec = api::ObjectAt(&claim, "spec");
  const std::string cls(api::StringAt(spec, "storageClassName"));
  if (!cls.empty()) {
    usage[cls + std::string(kOfClass) + "persistentvolumeclaims"] = api::Quantity::FromValue(1);
  }
  const api::ResourceList requests =
      QuantitiesOf(api::ObjectAt(api::ObjectAt(spec, "resources"), "requests"));
  const auto storage = requests.find("storage");
  if (storage == requests.end()) return;
  usage["requests.storage"] = storage->second;
  if (!cls.empty()) usage[cls + std::string(kOfClass) + "requests.storage"] = storage->second;
}

bool CrossesNamespaces(const api::JsonObject* spec) {
  const api::JsonObject* affinity = api::ObjectAt(spec, "affinity");
  const auto crosses = [](const api::JsonObject* term) {
    return !api::EmptyAt(term, "namespaces") || api::At(term, "namespaceSelector");
  };
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const api::JsonObject* terms = api::ObjectAt(affinity, kind);
    const api::JsonArray* required =
        api::ArrayAt(terms, "requiredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; required && i < required->size(); ++i) {
      if (crosses(api::AsObject((*required)[i]))) return true;
    }
    const api::JsonArray* preferred =
        api::ArrayAt(terms, "preferredDuringSchedulingIgnoredDuringExecution");
    for (size_t i = 0; preferred && i < preferred->size(); ++i) {
      if (crosses(api::ObjectAt(api::AsObject((*preferred)[i]), "podAffinityTerm"))) return true;
    }
  }
  return false;
}

// Reports whether a name, such as that of a priority class, satisfies the requirement.
bool MatchesName(const api::JsonObject* requirement, std::string_view name) {
  const std::string_view op = api::StringAt(requirement, "operator");
  if (op == "Exists") return !name.empty();
  if (op == "DoesNotExist") return name.empty();
  const api::JsonArray* values = api::ArrayAt(requirement, "values");
  bool listed = false;
  for (size_t i = 0; values && i < values->size(); ++i) {
    listed |= !name.empty() && api::AsString((*values)[i]) == name;
  }
  return op == "In" ? listed : op == "NotIn" && !listed;
}

bool MatchesScope(std::string_view scope, const api::JsonObject* requirement,
                  const api::scheme::Kind& kind, const api::JsonObject& document) {
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (scope == "VolumeAttributesClass") {
    return IsCore(kind, "persistentvolumeclaims") &&
           MatchesName(requirement, api::StringAt(spec, "volumeAttributesClassName"));
  }
  if (!IsCore(kind, "pods")) return false;
  const bool ends = api::IntAt(spec, "activeDeadlineSeconds").value_or(-1) >= 0;
  const bool best_effort = QosClassOf(spec) == "BestEffort";
  if (scope == "Terminating") return ends;
  if (scope == "NotTerminating") return !ends;
  if (scope == "BestEffort") return best_effort;
  if (scope == "NotBestEffort") return !best_effort;
  if (scope == "CrossNamespacePodAffinity") return CrossesNamespaces(spec);
  return scope == "PriorityClass" &&
         MatchesName(requirement, api::StringAt(spec, "priorityClassName"));
}

}  // namespace

api::ResourceList QuotaUsageOf(const api::scheme::Kind& kind, const api::JsonObject& document,
                               Instant now) {
  api::ResourceList usage;
  usage[ObjectCount(kind)] = api::Quantity::FromValue(1);
  if (IsCore(kind, "pods")) {
    AddPodUsage(document, now, usage);
    return usage;
  }
  if (HasPlainCount(kind)) usage[std::string(kind.resource)] = api::Quantity::FromValue(1);
  if (IsCore(kind, "services")) AddServiceUsage(document, usage);
  if (IsCore(kind, "persistentvolumeclaims")) AddClaimUsage(document, usage);
  return usage;
}

bool UsesQuotaResource(const api::scheme::Kind& kind, std::string_view resource) {
  if (resource.starts_with("count/")) return resource == ObjectCount(kind);
  if (HasPlainCount(kind) && resource == kind.resource) return true;
  if (IsCore(kind, "services")) return resource.starts_with("services.");
  if (IsCore(kind, "persistentvolumeclaims")) {
    return resource == "requests.storage" || resource.find(kOfClass) != resource.npos;
  }
  if (!IsCore(kind, "pods") || resource == "requests.storage") return false;
  if (resource.starts_with(kRequests)) resource.remove_prefix(kRequests.size());
  if (resource.starts_with(kLimits)) resource.remove_prefix(kLimits.size());
  return std::ranges::find(kComputed, resource) != kComputed.end() ||
         resource.starts_with(kHugePages) ||
         (api::IsExtendedResource(resource) && resource.find(kOfClass) == resource.npos);
}

bool MatchesQuotaScopes(const api::JsonObject* quota_spec, const api::scheme::Kind& kind,
                        const api::JsonObject& document) {
  const api::JsonObject exists{{"operator", "Exists"}};
  const api::JsonArray* scopes = api::ArrayAt(quota_spec, "scopes");
  for (size_t i = 0; scopes && i < scopes->size(); ++i) {
    if (!MatchesScope(api::AsString((*scopes)[i]), &exists, kind, document)) return false;
  }
  const api::JsonArray* expressions =
      api::ArrayAt(api::ObjectAt(quota_spec, "scopeSelector"), "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    const api::JsonObject* requirement = api::AsObject((*expressions)[i]);
    if (!MatchesScope(api::StringAt(requirement, "scopeName"), requirement, kind, document)) {
      return false;
    }
  }
  return true;
}

std::string QuotaConstraint(const api::scheme::Kind& kind, const api::JsonObject& document,
                            const std::vector<std::string>& resources) {
  if (!IsCore(kind, "pods")) return {};
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const api::JsonObject* whole = api::ObjectAt(spec, "resources");
  if (!api::IsEmpty(api::At(whole, "requests")) || !api::IsEmpty(api::At(whole, "limits"))) {
    return {};
  }
  std::map<std::string, std::set<std::string>> missing;  // Containers by resource.
  for (const std::string_view list : {"containers", "initContainers"}) {
    const api::JsonArray* containers = api::ArrayAt(spec, list);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      const api::JsonObject* container = api::AsObject((*containers)[i]);
      const api::JsonObject* own = api::ObjectAt(container, "resources");
      const api::ResourceList usage = ComputeUsage({QuantitiesOf(api::ObjectAt(own, "requests")),
                                                    QuantitiesOf(api::ObjectAt(own, "limits"))});
      for (const std::string& resource : resources) {
        const bool mandatory = std::ranges::find(kMandatory, resource) != kMandatory.end();
        if (!mandatory || usage.contains(resource)) continue;
        missing[resource].emplace(api::StringAt(container, "name"));
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& [resource, containers] : missing) {
    texts.push_back(fmt::format("{} for: {}", resource, fmt::join(containers, ",")));
  }
  return texts.empty() ? "" : fmt::format("must specify {}", fmt::join(texts, "; "));
}

}  // namespace berth::apiserver::admission
