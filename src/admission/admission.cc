#include "admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "admission/metadata.h"
#include "kinds/draft.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

// A node that does not say that it is ready gets no pods until somebody takes the taint away.
void TaintUnreadyNode(JsonObject& node) {
  const JsonArray* conditions = ArrayAt(ObjectAt(&node, "status"), "conditions");
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const JsonObject* condition = AsObject((*conditions)[i]);
    if (StringAt(condition, "type") == "Ready" && StringAt(condition, "status") == "True") return;
  }
  JsonArray& taints = ArrayIn(ObjectIn(node, "spec"), "taints");
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  const bool present = std::ranges::any_of(taints, [&](const Json& taint) {
    const JsonObject* fields = AsObject(taint);
    return StringAt(fields, "key") == kKey && StringAt(fields, "effect") == "NoSchedule";
  });
  if (present) return;
  JsonObject& taint = taints.emplace_back(boost::json::object_kind).get_object();
  SetString(taint, "key", kKey);
  SetString(taint, "effect", "NoSchedule");
}

ApiResult<void> AdmitPriorityClass(const PriorityClasses& priorities, const Kind& kind,
                                   const JsonObject& document) {
  if (!BoolAt(&document, "globalDefault")) return {};
  const auto table = priorities.table();
  const PriorityClass* present = DefaultPriorityClass(*table);
  const std::string_view name = StringAt(MetadataOf(document), "name");
  if (!present || present->name == name) return {};
  return std::unexpected(
      Forbidden(kind, name,
                fmt::format("PriorityClass {} is already marked as default. Only one default can "
                            "exist",
                            present->name)));
}

// The newest of the classes marked as default; by name among equals.
std::string DefaultStorageClass(const store::Store& store) {
  std::string best;
  std::string best_time;
  for (const store::ObjectPtr& object :
       store.List(KindOf("storageclasses.storage.k8s.io").collection, {}).objects) {
    if (object->json.find(kDefaultClass) == std::string::npos) continue;
    const Json document = Parse(*object);
    const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
    if (StringAt(ObjectAt(metadata, "annotations"), kDefaultClass) != "true") continue;
    const std::string_view time = StringAt(metadata, "creationTimestamp");
    if (!best.empty() && time <= best_time) continue;
    best = object->key.name;
    best_time = time;
  }
  return best;
}

void AdmitClaim(const store::Store& store, JsonObject& claim) {
  JsonObject& spec = ObjectIn(claim, "spec");
  // An empty name is a wish, too: no class.
  if (At(&spec, "storageClassName")) return;
  const std::string name = DefaultStorageClass(store);
  if (!name.empty()) SetString(spec, "storageClassName", name);
}

// A job's pods are told by its uid.
void SelectJobPods(JsonObject& job) {
  const std::string uid(StringAt(&MetadataOf(job), "uid"));
  const std::string name(StringAt(&MetadataOf(job), "name"));
  JsonObject& spec = ObjectIn(job, "spec");
  if (BoolAt(&spec, "manualSelector")) return;
  JsonObject& labels = ObjectIn(ObjectIn(ObjectIn(spec, "template"), "metadata"), "labels");
  SetString(labels, "batch.kubernetes.io/controller-uid", uid);
  SetString(labels, "batch.kubernetes.io/job-name", name);
  SetString(labels, "controller-uid", uid);
  SetString(labels, "job-name", name);
  SetString(ObjectIn(ObjectIn(spec, "selector"), "matchLabels"),
            "batch.kubernetes.io/controller-uid", uid);
}

void CarryMissing(const JsonObject& before, JsonObject& after, std::string_view key) {
  const Json* value = At(&before, key);
  if (value && !At(&after, key)) after[key] = *value;
}

}  // namespace

ApiResult<void> AdmitNamespace(const store::Store& store, const Kind& kind, std::string_view name,
                               std::string_view namespace_) {
  static const Kind& namespaces = KindOf("namespaces");
  const store::ObjectPtr object = store.Get(namespaces.collection, {"", std::string(namespace_)});
  if (!object) return std::unexpected(NotFound(namespaces, namespace_));
  // The phase is the only field by which namespaces are selected.
  if (object->fields.empty() || object->fields.front() != "Terminating") return {};
  ApiError error = Forbidden(
      kind, name,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  namespace_));
  error.causes.push_back({"NamespaceTerminating",
                          fmt::format("namespace {} is being terminated", namespace_),
                          "metadata.namespace"});
  return std::unexpected(std::move(error));
}

ApiResult<void> AdmitCreate(AdmissionContext& context, const Kind& kind, JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "Pod") return AdmitPod(context, kind, document);
  if (name == "Service") return AdmitService(context, kind, nullptr, document);
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, document);
  if (name == "Node") TaintUnreadyNode(document);
  if (name == "PersistentVolumeClaim") AdmitClaim(context.store, document);
  if (name == "Job") SelectJobPods(document);
  return {};
}

ApiResult<void> AdmitUpdate(AdmissionContext& context, const Kind& kind, const JsonObject& before,
                            JsonObject& after) {
  const std::string_view name = kind.kind;
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, after);
  if (name == "Service") return AdmitService(context, kind, &before, after);
  const JsonObject* old_spec = ObjectAt(&before, "spec");
  JsonObject* new_spec = ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return {};
  if (name == "Pod") {
    CarryMissing(*old_spec, *new_spec, "priority");
    CarryMissing(*old_spec, *new_spec, "preemptionPolicy");
    AddDefaultTolerations(*new_spec);
  }
  if (name == "Job") {
    CarryMissing(*old_spec, *new_spec, "selector");
    if (!BoolAt(new_spec, "manualSelector")) SelectJobPods(after);
  }
  return {};
}

}  // namespace berth::apiserver
