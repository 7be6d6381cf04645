#include "localcluster/replica_set.h"

#include <algorithm>

#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"
#include "localcluster/workload_pods.h"

namespace berth::localcluster {

namespace {

// Pods created or deleted per sync.
constexpr size_t kReplicaBurst = 500;

std::string_view ComponentOf(const Kind& kind) {
  return &kind == &ReplicaSets() ? "replicaset-controller" : "replication-controller";
}

bool HasLabels(const PodRecord& pod, const JsonObject* labels) {
  if (!labels) return true;
  return std::ranges::all_of(*labels, [&](const auto& label) {
    const std::string* value = pod.Label(label.key());
    return value && *value == AsString(label.value());
  });
}

}  // namespace

ReplicaSetController::ReplicaSetController(Context& context, const Kind& kind)
    : Controller(&kind == &ReplicaSets() ? "replica-sets" : "replication-controllers", context),
      kind_(kind),
      adoption_(kind) {}

void ReplicaSetController::Observe(const Change& change) { adoption_.Observe(change, queue_); }

void ReplicaSetController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(kind_.collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  if (const apiserver::store::ObjectPtr wrote = adoption_.Run(context_, key, document)) {
    Wrote(key, wrote);
    return queue_.Add(key);
  }
  std::vector<const PodRecord*> active;
  for (const PodRecord* pod : context_.pods.OwnedBy(object->uid)) {
    if (pod->active()) active.push_back(pod);
  }
  std::optional<api::scheme::ApiError> failure;
  if (!At(ObjectAt(&document, "metadata"), "deletionTimestamp")) {
    failure = Scale(key, document, active);
  }
  WriteStatus(key, document, active, failure);
}

std::optional<api::scheme::ApiError> ReplicaSetController::Scale(
    const ObjectName& key, const JsonObject& document, std::vector<const PodRecord*> active) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const JsonObject* pod_template = ObjectAt(spec, "template");
  const auto wanted =
      static_cast<size_t>(std::max<int64_t>(0, IntAt(spec, "replicas").value_or(1)));
  if (!pod_template || wanted == active.size()) {
    queue_.Succeeded(key);
    return std::nullopt;
  }
  const auto record = [&](EventType type, std::string_view reason, std::string message) {
    context_.events.Record(InvolvedObject::Of(kind_, document), type, reason, std::move(message),
                           ComponentOf(kind_));
  };
  if (wanted < active.size()) {
    SortForDeletion(active);
    active.resize(std::min(active.size() - wanted, kReplicaBurst));
    for (const PodRecord* pod : active) {
      const auto deleted = context_.api.Delete(Pods(), pod->name(), {.uid = pod->uid()});
      if (!deleted) continue;
      Wrote(key, deleted->object);
      record(EventType::kNormal, "SuccessfulDelete", "Deleted pod: " + pod->name().name);
    }
    return std::nullopt;
  }
  JsonObject pod = PodFromTemplate(*pod_template, kind_, document);
  SetString(EnsureObject(pod, "metadata"), "generateName", key.name + "-");
  const size_t missing = wanted - active.size();
  for (size_t i = 0; i < std::min(missing, kReplicaBurst); ++i) {
    const auto created = context_.api.Create(Pods(), key.namespace_, Json(pod));
    if (!created) {
      queue_.AddAfterFailure(key, context_.now());
      record(EventType::kWarning, "FailedCreate", "Error creating: " + created.error().message);
      return created.error();
    }
    Wrote(key, created->object);
    record(EventType::kNormal, "SuccessfulCreate", "Created pod: " + created->object->key.name);
  }
  queue_.Succeeded(key);
  return std::nullopt;
}

void ReplicaSetController::WriteStatus(const ObjectName& key, const JsonObject& document,
                                       const std::vector<const PodRecord*>& active,
                                       const std::optional<api::scheme::ApiError>& failure) {
  const Instant now = context_.now();
  const JsonObject* spec = ObjectAt(&document, "spec");
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const int64_t min_ready = IntAt(spec, "minReadySeconds").value_or(0);
  const JsonObject* labels = ObjectAt(ObjectAt(ObjectAt(spec, "template"), "metadata"), "labels");
  int64_t labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  std::optional<Instant> due;
  for (const PodRecord* pod : active) {
    labeled += HasLabels(*pod, labels);
    ready += pod->ready;
    available += IsAvailable(*pod, min_ready, now, due);
  }
  if (due) queue_.AddAt(key, *due);
  const auto count = static_cast<int64_t>(active.size());
  const JsonObject* old = ObjectAt(&document, "status");
  const auto same = [&](std::string_view field, int64_t value) {
    return IntAt(old, field).value_or(0) == value;
  };
  if (same("replicas", count) && same("fullyLabeledReplicas", labeled) &&
      same("readyReplicas", ready) && same("availableReplicas", available) &&
      same("observedGeneration", IntAt(metadata, "generation").value_or(0)) &&
      IsTrue(old, "ReplicaFailure") == failure.has_value()) {
    return;
  }
  const auto done = context_.api.Modify(kind_, key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != StringAt(metadata, "uid")) return false;
    JsonObject& status = EnsureObject(fields, "status");
    SetInt(status, "replicas", count);
    SetCount(status, "fullyLabeledReplicas", labeled);
    SetCount(status, "readyReplicas", ready);
    SetCount(status, "availableReplicas", available);
    SetInt(status, "observedGeneration", IntAt(metadata, "generation").value_or(0));
    if (failure) {
      apiserver::admission::SetCondition(status, "ReplicaFailure", "True", "FailedCreate",
                                         failure->message, now);
    } else {
      RemoveCondition(status, "ReplicaFailure");
    }
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
