#include "apiserver/admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/limit_ranges.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

// Taints a node that is not ready; the node lifecycle controller removes the taint.
void TaintUnreadyNode(api::JsonObject& node) {
  const api::JsonArray* conditions = api::ArrayAt(api::ObjectAt(&node, "status"), "conditions");
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const api::JsonObject* condition = api::AsObject((*conditions)[i]);
    if (api::StringAt(condition, "type") == "Ready" && api::StringAt(condition, "status") == "True")
      return;
  }
  api::JsonArray& taints = api::EnsureArray(api::EnsureObject(node, "spec"), "taints");
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  const bool present = std::ranges::any_of(taints, [&](const api::Json& taint) {
    const api::JsonObject* fields = api::AsObject(taint);
    return api::StringAt(fields, "key") == kKey && api::StringAt(fields, "effect") == "NoSchedule";
  });
  if (present) return;
  api::JsonObject& taint = taints.emplace_back(boost::json::object_kind).get_object();
  api::SetString(taint, "key", kKey);
  api::SetString(taint, "effect", "NoSchedule");
}

api::scheme::ApiResult<void> AdmitPriorityClass(const PriorityClasses& priorities,
                                                const api::scheme::Kind& kind,
                                                const api::JsonObject& document) {
  if (!api::BoolAt(&document, "globalDefault")) return {};
  const auto table = priorities.table();
  const PriorityClass* present = DefaultPriorityClass(*table);
  const std::string_view name = api::StringAt(MetadataOf(document), "name");
  if (!present || present->name == name) return {};
  return std::unexpected(api::scheme::Forbidden(
      kind, name,
      fmt::format("PriorityClass {} is already marked as default. Only one default can "
                  "exist",
                  present->name)));
}

}  // namespace

std::string DefaultStorageClass(const store::Store& store) {
  std::string best;
  std::string best_time;
  for (const store::ObjectPtr& object :
       store.List(api::scheme::KindOf("storageclasses.storage.k8s.io").collection, {}).objects) {
    if (object->json.find(kDefaultClass) == std::string::npos) continue;
    const api::Json document = store::Parse(*object);
    const api::JsonObject* metadata = api::ObjectAt(api::AsObject(document), "metadata");
    if (api::StringAt(api::ObjectAt(metadata, "annotations"), kDefaultClass) != "true") continue;
    const std::string_view time = api::StringAt(metadata, "creationTimestamp");
    if (!best.empty() && time <= best_time) continue;
    best = object->key.name;
    best_time = time;
  }
  return best;
}

namespace {

void AdmitClaim(const store::Store& store, api::JsonObject& claim) {
  api::JsonObject& spec = api::EnsureObject(claim, "spec");
  // An empty name requests no class.
  if (api::At(&spec, "storageClassName")) return;
  const std::string name = DefaultStorageClass(store);
  if (!name.empty()) api::SetString(spec, "storageClassName", name);
}

// Generates the selector of a job, which matches its pods by the job's uid.
void SelectJobPods(api::JsonObject& job) {
  const std::string uid(api::StringAt(&MetadataOf(job), "uid"));
  const std::string name(api::StringAt(&MetadataOf(job), "name"));
  api::JsonObject& spec = api::EnsureObject(job, "spec");
  if (api::BoolAt(&spec, "manualSelector")) return;
  api::JsonObject& labels = api::EnsureObject(
      api::EnsureObject(api::EnsureObject(spec, "template"), "metadata"), "labels");
  api::SetString(labels, "batch.kubernetes.io/controller-uid", uid);
  api::SetString(labels, "batch.kubernetes.io/job-name", name);
  api::SetString(labels, "controller-uid", uid);
  api::SetString(labels, "job-name", name);
  // A kube-apiserver applies defaults again when it reads the object.
  const api::JsonObject copy = labels;
  api::JsonObject& metadata = MetadataOf(job);
  if (api::IsEmpty(api::At(&metadata, "labels"))) metadata["labels"] = copy;
  api::SetString(api::EnsureObject(api::EnsureObject(spec, "selector"), "matchLabels"),
                 "batch.kubernetes.io/controller-uid", uid);
}

void CopyMissing(const api::JsonObject& before, api::JsonObject& after, std::string_view key) {
  const api::Json* value = api::At(&before, key);
  if (value && !api::At(&after, key)) after[key] = *value;
}

}  // namespace

api::scheme::ApiResult<void> AdmitNamespace(const store::Store& store,
                                            const api::scheme::Kind& kind, std::string_view name,
                                            std::string_view namespace_) {
  static const api::scheme::Kind& namespaces = api::scheme::KindOf("namespaces");
  const store::ObjectPtr object = store.Get(namespaces.collection, {"", std::string(namespace_)});
  if (!object) return std::unexpected(api::scheme::NotFound(namespaces, namespace_));
  // The phase is the only selectable field of namespaces.
  if (object->fields.empty() || object->fields.front() != "Terminating") return {};
  api::scheme::ApiError error = api::scheme::Forbidden(
      kind, name,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  namespace_));
  error.causes.push_back({"NamespaceTerminating",
                          fmt::format("namespace {} is being terminated", namespace_),
                          "metadata.namespace"});
  return std::unexpected(std::move(error));
}

api::scheme::ApiResult<void> AdmitCreate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         api::JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "Pod") return AdmitPod(context, kind, document);
  if (name == "Service") return AdmitService(context, kind, nullptr, document);
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, document);
  if (name == "PodGroup") return AdmitPodGroup(context, kind, document);
  if (name == "Node") TaintUnreadyNode(document);
  if (name == "PersistentVolumeClaim") {
    AdmitClaim(context.store, document);
    return AdmitLimitRanges(context.store, kind, document);
  }
  if (name == "Job") SelectJobPods(document);
  SetTaintTimes(kind, document, context.now);
  return {};
}

api::scheme::ApiResult<void> AdmitUpdate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         const api::JsonObject& before, api::JsonObject& after) {
  const std::string_view name = kind.kind;
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, after);
  if (name == "Service") return AdmitService(context, kind, &before, after);
  SetTaintTimes(kind, after, context.now);
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return {};
  if (name == "Pod") {
    CopyMissing(*old_spec, *new_spec, "priority");
    CopyMissing(*old_spec, *new_spec, "preemptionPolicy");
    AddDefaultTolerations(*new_spec);
  }
  if (name == "Job") {
    CopyMissing(*old_spec, *new_spec, "selector");
    if (!api::BoolAt(new_spec, "manualSelector")) SelectJobPods(after);
  }
  return {};
}

namespace {

constexpr int64_t kTolerationSeconds = 300;
constexpr std::array<std::string_view, 2> kTopologyLabels = {"topology.kubernetes.io/region",
                                                             "topology.kubernetes.io/zone"};

api::scheme::ApiResult<void> ResolvePriority(const PriorityClasses& priorities,
                                             const api::scheme::Kind& kind, std::string_view pod,
                                             api::JsonObject& spec) {
  const auto table = priorities.table();
  const std::string_view class_name = api::StringAt(&spec, "priorityClassName");
  static const PriorityClass kNone;
  const PriorityClass* found = &kNone;
  if (!class_name.empty()) {
    found = FindPriorityClass(*table, class_name);
    if (!found) {
      return std::unexpected(api::scheme::Forbidden(
          kind, pod, fmt::format("no PriorityClass with name {} was found", class_name)));
    }
  } else if (const PriorityClass* fallback = DefaultPriorityClass(*table)) {
    found = fallback;
    api::SetString(spec, "priorityClassName", found->name);
  }
  const auto given = api::IntAt(&spec, "priority");
  if (given && *given != found->value) {
    return std::unexpected(api::scheme::Forbidden(
        kind, pod,
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    *given, found->value)));
  }
  const std::string_view policy = api::StringAt(&spec, "preemptionPolicy");
  if (!policy.empty() && policy != found->preemption_policy) {
    return std::unexpected(api::scheme::Forbidden(
        kind, pod,
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    policy, found->preemption_policy)));
  }
  api::SetInt(spec, "priority", found->value);
  api::SetString(spec, "preemptionPolicy", found->preemption_policy);
  return {};
}

bool Tolerates(const api::JsonArray& tolerations, std::string_view key) {
  for (const api::Json& toleration : tolerations) {
    const api::JsonObject* fields = api::AsObject(toleration);
    const std::string_view own = api::StringAt(fields, "key");
    const std::string_view effect = api::StringAt(fields, "effect");
    if ((own == key || own.empty()) && (effect == "NoExecute" || effect.empty())) return true;
  }
  return false;
}

}  // namespace

void AddDefaultTolerations(api::JsonObject& pod_spec) {
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    api::JsonArray& tolerations = api::EnsureArray(pod_spec, "tolerations");
    if (Tolerates(tolerations, key)) continue;
    api::JsonObject& toleration = tolerations.emplace_back(boost::json::object_kind).get_object();
    api::SetString(toleration, "key", key);
    api::SetString(toleration, "operator", "Exists");
    api::SetString(toleration, "effect", "NoExecute");
    api::SetInt(toleration, "tolerationSeconds", kTolerationSeconds);
  }
}

void AddTopologyLabels(const store::Store& store, std::string_view node, api::JsonObject& pod) {
  static const store::Collection kNodes = api::scheme::KindOf("nodes").collection;
  const store::ObjectPtr object = store.Get(kNodes, {"", std::string(node)});
  if (!object) return;
  for (const auto& [key, value] : object->labels) {
    if (key != kTopologyLabels[0] && key != kTopologyLabels[1]) continue;
    api::SetString(api::EnsureObject(MetadataOf(pod), "labels"), key, value);
  }
}

api::scheme::ApiResult<void> AdmitPod(AdmissionContext& context, const api::scheme::Kind& kind,
                                      api::JsonObject& pod) {
  const std::string name(api::StringAt(&MetadataOf(pod), "name"));
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  if (auto resolved = ResolvePriority(context.priorities, kind, name, spec); !resolved) {
    return resolved;
  }
  AddDefaultTolerations(spec);
  if (auto admitted = AdmitRuntimeClass(context.store, kind, pod); !admitted) return admitted;
  AdmitServiceAccount(context, pod);
  const std::string_view node = api::StringAt(&spec, "nodeName");
  if (!node.empty()) AddTopologyLabels(context.store, std::string(node), pod);
  return AdmitLimitRanges(context.store, kind, pod);
}

}  // namespace berth::apiserver::admission
