#include "apiserver/admission/strategy.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/quantity.h"
#include "api/scheme/scheme.h"
#include "api/timestamp.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/metadata.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::array<std::string_view, 2> kCounted = {"cpu", "memory"};

bool IsPositive(const api::Json* value) {
  if (!value) return false;
  const auto quantity = api::Quantity::Parse(api::AsString(value));
  return quantity && quantity->Sign() > 0;
}

bool AreEqual(const api::Json* a, const api::Json* b) {
  const std::string_view left = api::AsString(a);
  const std::string_view right = api::AsString(b);
  if (left == right) return true;
  const auto x = api::Quantity::Parse(left);
  const auto y = api::Quantity::Parse(right);
  return x && y && *x == *y;
}

struct QosSummary {
  bool any = false;        // There is a request or a limit.
  bool guaranteed = true;  // Every container has equal requests and limits of cpu and memory.
};

void AddResources(const api::JsonObject* resources, QosSummary& summary) {
  const api::JsonObject* requests = api::ObjectAt(resources, "requests");
  const api::JsonObject* limits = api::ObjectAt(resources, "limits");
  for (const std::string_view name : kCounted) {
    const api::Json* request = api::At(requests, name);
    const api::Json* limit = api::At(limits, name);
    const bool limited = IsPositive(limit);
    summary.any = summary.any || limited || IsPositive(request);
    summary.guaranteed = summary.guaranteed && limited && request && AreEqual(request, limit);
  }
}

}  // namespace

std::string_view QosClassOf(const api::JsonObject* pod_spec) {
  QosSummary summary;
  // Pod-level resources take precedence over those of the containers.
  const api::JsonObject* whole = api::ObjectAt(pod_spec, "resources");
  if (!api::IsEmpty(api::At(whole, "requests")) || !api::IsEmpty(api::At(whole, "limits"))) {
    AddResources(whole, summary);
  } else {
    for (const std::string_view key : {"containers", "initContainers"}) {
      const api::JsonArray* containers = api::ArrayAt(pod_spec, key);
      for (size_t i = 0; containers && i < containers->size(); ++i) {
        AddResources(api::ObjectAt(api::AsObject((*containers)[i]), "resources"), summary);
      }
    }
  }
  if (!summary.any) return "BestEffort";
  return summary.guaranteed ? "Guaranteed" : "Burstable";
}

namespace {

void CopyMember(const api::JsonObject& from, api::JsonObject& to, std::string_view key) {
  if (api::SameAt(&from, &to, key)) return;
  if (const api::Json* value = api::At(&from, key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

// Sets the required counters of a new status to 0.
void ZeroStatus(std::string_view kind, api::JsonObject& status) {
  const auto zero = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) api::SetInt(status, key, 0);
  };
  if (kind == "ReplicaSet" || kind == "ReplicationController") zero({"replicas"});
  if (kind == "StatefulSet") zero({"replicas", "availableReplicas"});
  if (kind == "DaemonSet") {
    zero({"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"});
  }
  if (kind == "PodDisruptionBudget") {
    zero({"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"});
  }
  if (kind == "Service") status["loadBalancer"].emplace_object();
  if (kind == "Namespace") api::SetString(status, "phase", "Active");
}

void PrepareNamespace(api::JsonObject& document) {
  api::JsonObject& metadata = MetadataOf(document);
  const std::string name(api::StringAt(&metadata, "name"));
  api::SetString(api::EnsureObject(metadata, "labels"), "kubernetes.io/metadata.name", name);
  api::JsonArray& finalizers = api::EnsureArray(api::EnsureObject(document, "spec"), "finalizers");
  if (std::ranges::find(finalizers, api::Json("kubernetes")) == finalizers.end()) {
    finalizers.emplace_back("kubernetes");
  }
}

constexpr std::array<std::string_view, 4> kChangeableMetadata = {"labels", "annotations",
                                                                 "ownerReferences", "finalizers"};

void RestoreMetadata(const api::JsonObject& before, api::JsonObject& after,
                     std::span<const std::string_view> keys = kChangeableMetadata) {
  const api::JsonObject* old_metadata = MetadataOf(before);
  const api::JsonObject none;
  for (const std::string_view key : keys) {
    CopyMember(old_metadata ? *old_metadata : none, MetadataOf(after), key);
  }
}

// Returns the metadata that an update of the status leaves as it is. Of most kinds it is none, as
// in kube-apiserver.
std::span<const std::string_view> MetadataKeptByStatus(const api::scheme::Kind& kind) {
  constexpr std::array<std::string_view, 6> kStatusOnly = {
      "FlowSchema",  "PriorityLevelConfiguration", "ResourceClaim",
      "ServiceCIDR", "ValidatingAdmissionPolicy",  "VolumeAttachment"};
  static constexpr std::array<std::string_view, 1> kLabels = {"labels"};
  static constexpr std::array<std::string_view, 1> kOwners = {"ownerReferences"};
  const auto is = [&](std::string_view name) { return kind.IsBuiltIn(name); };
  if (kind.custom || std::ranges::any_of(kStatusOnly, is)) return kChangeableMetadata;
  if (is("Deployment")) return kLabels;
  if (is("Pod")) return kOwners;
  return {};
}

void RestoreAllButStatus(const api::scheme::Kind& kind, const api::JsonObject& before,
                         api::JsonObject& after) {
  for (const auto& member : before) {
    const std::string_view key = member.key();
    if (key != "status" && key != "metadata") CopyMember(before, after, key);
  }
  api::EraseMembersIf(after, [&](const auto& member) {
    return member.key() != "status" && !before.contains(member.key());
  });
  RestoreMetadata(before, after, MetadataKeptByStatus(kind));
}

// Restores everything except the resources of the pod and its containers.
void RestoreAllButResources(const api::JsonObject& before, api::JsonObject& after) {
  const api::Json new_spec = after.contains("spec") ? after["spec"] : api::Json();
  for (const auto& member : before) {
    if (member.key() != "metadata") CopyMember(before, after, member.key());
  }
  RestoreMetadata(before, after);
  api::JsonObject* spec = api::ObjectAt(&after, "spec");
  if (const api::Json* whole = api::At(api::AsObject(new_spec), "resources"); whole && spec) {
    (*spec)["resources"] = *whole;
  }
  for (const std::string_view key : {"containers", "initContainers"}) {
    const api::JsonArray* from = api::ArrayAt(api::AsObject(new_spec), key);
    api::JsonArray* to = api::ArrayAt(spec, key);
    for (size_t i = 0; from && to && i < std::min(from->size(), to->size()); ++i) {
      const api::JsonObject* container = api::AsObject((*from)[i]);
      api::JsonObject* restored = (*to)[i].if_object();
      if (!container || !restored ||
          api::StringAt(container, "name") != api::StringAt(restored, "name"))
        continue;
      for (const std::string_view part : {"resources", "resizePolicy"}) {
        if (const api::Json* value = api::At(container, part)) (*restored)[part] = *value;
      }
    }
  }
}

// Restores everything except the ephemeral containers.
void RestoreAllButEphemeral(const api::JsonObject& before, api::JsonObject& after) {
  constexpr std::string_view kEphemeral = "ephemeralContainers";
  const api::Json* given = api::At(api::ObjectAt(&after, "spec"), kEphemeral);
  const api::Json containers = given ? *given : api::Json();
  for (const auto& member : before) {
    if (member.key() != "metadata") CopyMember(before, after, member.key());
  }
  RestoreMetadata(before, after);
  api::EnsureObject(after, "spec")[kEphemeral] = containers;
  DropNulls(after);
}

}  // namespace

void SetCondition(api::JsonObject& status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, Instant now) {
  api::JsonArray& conditions = api::EnsureArray(status, "conditions");
  const auto found = std::ranges::find_if(conditions, [&](const api::Json& condition) {
    return api::StringAt(api::AsObject(condition), "type") == type;
  });
  api::Json& slot =
      found != conditions.end() ? *found : conditions.emplace_back(boost::json::object_kind);
  api::JsonObject* condition = slot.if_object();
  if (!condition) condition = &slot.emplace_object();
  const bool changes = api::StringAt(condition, "status") != value;
  api::SetString(*condition, "type", type);
  api::SetString(*condition, "status", value);
  if (changes || !api::At(condition, "lastTransitionTime")) {
    api::SetString(*condition, "lastTransitionTime", api::FormatTime(now));
  }
  for (const auto& [key, text] :
       {std::pair<std::string_view, std::string_view>{"reason", reason}, {"message", message}}) {
    if (text.empty()) {
      condition->erase(key);
    } else {
      api::SetString(*condition, key, text);
    }
  }
}

void PrepareForCreate(const api::scheme::Kind& kind, api::JsonObject& document) {
  DropDisabledDeviceFields(kind, document);
  if (kind.IsBuiltIn("Node") || !kind.has_status) return;
  if (kind.IsBuiltIn("Namespace")) PrepareNamespace(document);
  api::JsonObject& status = document["status"].emplace_object();
  ZeroStatus(kind.kind, status);
}

namespace {

// A null selector matches nothing, so nothing is added to it.
void MergeLabelKeys(const api::JsonObject& labels, std::string_view keys, std::string_view op,
                    api::JsonObject* holder) {
  api::JsonObject* selector = api::ObjectAt(holder, "labelSelector");
  const api::JsonArray* list = api::ArrayAt(holder, keys);
  if (!selector || !list) return;
  // Objects that come from an API server have been through this already.
  std::set<std::string> present;
  if (const api::JsonArray* expressions = api::ArrayAt(selector, "matchExpressions")) {
    for (const api::Json& requirement : *expressions)
      present.insert(api::ToCanonicalJson(requirement));
  }
  for (const api::Json& key : *list) {
    const api::Json* value = api::At(&labels, api::AsString(key));
    if (!value) continue;
    api::Json requirement(
        api::JsonObject{{"key", key}, {"operator", op}, {"values", api::JsonArray{*value}}});
    if (!present.insert(api::ToCanonicalJson(requirement)).second) continue;
    api::EnsureArray(*selector, "matchExpressions").push_back(std::move(requirement));
  }
}

void MergeTermKeys(const api::JsonObject& labels, api::JsonObject* term) {
  MergeLabelKeys(labels, "matchLabelKeys", "In", term);
  MergeLabelKeys(labels, "mismatchLabelKeys", "NotIn", term);
}

}  // namespace

void MergeLabelKeys(api::JsonObject& pod, bool spread) {
  const api::JsonObject* labels = api::ObjectAt(MetadataOf(std::as_const(pod)), "labels");
  api::JsonObject* spec = api::ObjectAt(&pod, "spec");
  if (!labels || !spec) return;
  const auto for_each = [](api::JsonArray* list, auto merge) {
    for (size_t i = 0; list && i < list->size(); ++i) merge((*list)[i].if_object());
  };
  for_each(spread ? api::ArrayAt(spec, "topologySpreadConstraints") : nullptr,
           [&](api::JsonObject* constraint) {
             MergeLabelKeys(*labels, "matchLabelKeys", "In", constraint);
           });
  api::JsonObject* affinity = api::ObjectAt(spec, "affinity");
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    api::JsonObject* terms = api::ObjectAt(affinity, kind);
    for_each(api::ArrayAt(terms, "requiredDuringSchedulingIgnoredDuringExecution"),
             [&](api::JsonObject* term) { MergeTermKeys(*labels, term); });
    for_each(api::ArrayAt(terms, "preferredDuringSchedulingIgnoredDuringExecution"),
             [&](api::JsonObject* weighted) {
               MergeTermKeys(*labels, api::ObjectAt(weighted, "podAffinityTerm"));
             });
  }
}

void CompleteCreate(const api::scheme::Kind& kind, api::JsonObject& document, Instant now) {
  if (kind.IsBuiltIn("APIService") && !api::At(api::ObjectAt(&document, "spec"), "service")) {
    SetCondition(api::EnsureObject(document, "status"), "Available", "True", "Local",
                 "Local APIServices are always available", now);
  }
  if (!kind.IsBuiltIn("Pod")) return;
  MergeLabelKeys(document);
  const api::JsonObject* spec = api::ObjectAt(&document, "spec");
  const std::string_view quality = QosClassOf(spec);
  const bool gated = !api::EmptyAt(spec, "schedulingGates");
  api::JsonObject& status = api::EnsureObject(document, "status");
  api::SetString(status, "phase", "Pending");
  api::SetString(status, "qosClass", quality);
  if (gated) {
    SetCondition(status, "PodScheduled", "False", "SchedulingGated",
                 "Scheduling is blocked due to non-empty scheduling gates", now);
  }
}

void PrepareForUpdate(const api::scheme::Kind& kind, std::string_view subresource,
                      const api::JsonObject& before, api::JsonObject& after) {
  if (subresource == "status" || subresource == "approval") {
    RestoreAllButStatus(kind, before, after);
    if (kind.kind == "ResourceClaim") DropDeallocatedDevices(before, after);
    return;
  }
  if (subresource == "resize") return RestoreAllButResources(before, after);
  if (subresource == "ephemeralcontainers") return RestoreAllButEphemeral(before, after);
  DropDisabledDeviceFields(kind, after);
  if (kind.has_status) CopyMember(before, after, "status");
  if (kind.IsBuiltIn("CertificateSigningRequest")) CopyMember(before, after, "spec");
  if (kind.IsBuiltIn("Namespace")) {
    api::JsonObject& spec = api::EnsureObject(after, "spec");
    const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
    const api::JsonObject none;
    // Only the subresource finalize changes the finalizers of the spec.
    if (subresource != "finalize") CopyMember(old_spec ? *old_spec : none, spec, "finalizers");
    const std::string name(api::StringAt(MetadataOf(before), "name"));
    api::SetString(api::EnsureObject(MetadataOf(after), "labels"), "kubernetes.io/metadata.name",
                   name);
  }
}

}  // namespace berth::apiserver::admission
