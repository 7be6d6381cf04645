#include "apiserver/patch/merge_keys.h"

#include <algorithm>
#include <array>

namespace berth::apiserver::patch {
namespace {

using enum FieldRule::Patch;
using enum FieldRule::Apply;

constexpr std::string_view kAny = "";
constexpr std::string_view kRoot = "";
constexpr std::string_view kNoKey = "";

const std::vector<FieldRule>& ListRules() {
  static const std::vector<FieldRule> rules = {
      // Any object.
      {kAny, "metadata", "ownerReferences", kMergeByKey, "uid", kMapOfAtomic, {"uid"}},
      {kAny, "metadata", "finalizers", kMergeValues, kNoKey, kSet, {}},
      {"Job", "status", "conditions", kMergeByKey, "type", kAtomic, {}},
      {"CertificateSigningRequest", "status", "conditions", kReplace, kNoKey, kMap, {"type"}},
      {"ValidatingAdmissionPolicy", "status", "conditions", kReplace, kNoKey, kMap, {"type"}},
      {kAny, "status", "conditions", kMergeByKey, "type", kMap, {"type"}},
      // Pods.
      {kAny, "spec", "containers", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "initContainers", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "ephemeralContainers", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "volumes", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "imagePullSecrets", kMergeByKey, "name", kMapOfAtomic, {"name"}},
      {kAny, "spec", "hostAliases", kMergeByKey, "ip", kMap, {"ip"}},
      {kAny, "spec", "schedulingGates", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "resourceClaims", kMergeByKey, "name", kMap, {"name"}},
      {kAny,
       "spec",
       "topologySpreadConstraints",
       kMergeByKey,
       "topologyKey",
       kMap,
       {"topologyKey", "whenUnsatisfiable"}},
      {kAny,
       "containers",
       "ports",
       kMergeByKey,
       "containerPort",
       kMap,
       {"containerPort", "protocol"}},
      {kAny, "containers", "env", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "containers", "volumeMounts", kMergeByKey, "mountPath", kMap, {"mountPath"}},
      {kAny, "containers", "volumeDevices", kMergeByKey, "devicePath", kMap, {"devicePath"}},
      {kAny, "resources", "claims", kReplace, kNoKey, kMap, {"name"}},
      {kAny, "status", "podIPs", kMergeByKey, "ip", kMap, {"ip"}},
      {kAny, "status", "hostIPs", kMergeByKey, "ip", kAtomic, {}},
      {kAny, "status", "resourceClaimStatuses", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "containerStatuses", "allocatedResourcesStatus", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "containerStatuses", "volumeMounts", kMergeByKey, "mountPath", kMap, {"mountPath"}},
      // Other core kinds.
      {kAny, "spec", "podCIDRs", kMergeValues, kNoKey, kSet, {}},
      {kAny, "status", "addresses", kMergeByKey, "type", kMap, {"type"}},
      {kAny, "spec", "ports", kMergeByKey, "port", kMap, {"port", "protocol"}},
      {kAny, kRoot, "conditions", kMergeByKey, "type", kMap, {"type"}},
      {kAny, kRoot, "secrets", kMergeByKey, "name", kMapOfAtomic, {"name"}},
      // Other groups.
      {kAny, "spec", "drivers", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "volumeLifecycleModes", kReplace, kNoKey, kSet, {}},
      {kAny, "uncountedTerminatedPods", "succeeded", kReplace, kNoKey, kSet, {}},
      {kAny, "uncountedTerminatedPods", "failed", kReplace, kNoKey, kSet, {}},
      {kAny, "status", "reservedFor", kMergeByKey, "uid", kMap, {"uid"}},
      {kAny, "status", "devices", kReplace, kNoKey, kMap, {"device", "driver", "pool", "shareID"}},
      {kAny, "devices", "conditions", kReplace, kNoKey, kMap, {"type"}},
      {kAny, kRoot, "webhooks", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "webhooks", "matchConditions", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "matchConditions", kMergeByKey, "name", kMap, {"name"}},
      {"MutatingAdmissionPolicy", "spec", "variables", kReplace, kNoKey, kAtomic, {}},
      {kAny, "spec", "variables", kMergeByKey, "name", kMap, {"name"}},
      {kAny, "spec", "validationActions", kReplace, kNoKey, kSet, {}},
      {kAny, "spec", "podGroupTemplates", kReplace, kNoKey, kMap, {"name"}},
      {kAny, "podGroupTemplates", "resourceClaims", kMergeByKey, "name", kMap, {"name"}},
  };
  return rules;
}

// Init and ephemeral containers have the same lists as containers, and so have their statuses.
std::string_view CanonicalParent(std::string_view parent) {
  if (parent == "initContainers" || parent == "ephemeralContainers") return "containers";
  if (parent == "initContainerStatuses" || parent == "ephemeralContainerStatuses") {
    return "containerStatuses";
  }
  return parent;
}

constexpr std::array kAtomicObjects = std::to_array<std::string_view>({
    // Selectors.
    "selector",
    "labelSelector",
    "namespaceSelector",
    "podSelector",
    "objectSelector",
    "nodeSelector",
    "nodeTopology",
    "scopeSelector",
    "required",
    "matchConstraints",
    "matchResources",
    "requiredDuringSchedulingIgnoredDuringExecution",
    // References.
    "claimRef",
    "configMapKeyRef",
    "controllerExpandSecretRef",
    "controllerPublishSecretRef",
    "dataSource",
    "fieldRef",
    "fileKeyRef",
    "involvedObject",
    "nodeExpandSecretRef",
    "nodePublishSecretRef",
    "nodeStageSecretRef",
    "paramKind",
    "paramRef",
    "reference",
    "regarding",
    "related",
    "resourceFieldRef",
    "roleRef",
    "secretKeyRef",
    "secretRef",
    "target",
    "targetRef",
});

}  // namespace

const FieldRule* FindListRule(std::string_view kind, std::string_view parent,
                              std::string_view field) {
  const auto& rules = ListRules();
  const auto rule = std::ranges::find_if(rules, [&](const FieldRule& r) {
    return r.field == field && r.parent == CanonicalParent(parent) &&
           (r.kind.empty() || r.kind == kind);
  });
  return rule == rules.end() ? nullptr : &*rule;
}

bool PatchReplacesObject(std::string_view kind, std::string_view parent, std::string_view field) {
  return kind == "PodDisruptionBudget" && parent == "spec" && field == "selector";
}

bool IsAtomicObject(std::string_view field) {
  return std::ranges::find(kAtomicObjects, field) != kAtomicObjects.end();
}

std::string_view DefaultOfKey(std::string_view key) { return key == "protocol" ? "TCP" : ""; }

}  // namespace berth::apiserver::patch
