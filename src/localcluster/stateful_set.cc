#include "localcluster/stateful_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "localcluster/object_json.h"
#include "localcluster/workload_pods.h"

namespace berth::localcluster {

namespace {

// Returns the ordinal of "<set>-<ordinal>", or -1 if the name is not of that form.
int64_t OrdinalOf(const std::string& set, const std::string& pod) {
  if (!pod.starts_with(set) || pod.size() < set.size() + 2 || pod[set.size()] != '-') return -1;
  return api::ParseInt(std::string_view(pod).substr(set.size() + 1)).value_or(-1);
}

bool IsHealthy(const PodRecord& pod) {
  return pod.phase() == "Running" && pod.ready && !pod.deleting;
}

std::string RevisionOf(const PodRecord& pod) {
  const std::string* label = pod.Label(kRevisionHash);
  return label ? *label : "";
}

// Adds the volumes of the claim templates to the pod; they replace volumes of the same name.
void UseClaims(JsonObject& spec, const JsonObject* set_spec, const std::string& pod) {
  for (const JsonObject& claim : ObjectsAt(set_spec, "volumeClaimTemplates")) {
    const std::string name(StringAt(ObjectAt(&claim, "metadata"), "name"));
    JsonArray& volumes = EnsureArray(spec, "volumes");
    const auto found = std::ranges::find_if(
        volumes, [&](const Json& volume) { return StringAt(AsObject(volume), "name") == name; });
    Json& slot = found != volumes.end() ? *found : volumes.emplace_back(nullptr);
    JsonObject& volume = slot.emplace_object();
    SetString(volume, "name", name);
    SetString(EnsureObject(volume, "persistentVolumeClaim"), "claimName",
              fmt::format("{}-{}", name, pod));
  }
}

}  // namespace

StatefulSetController::StatefulSetController(Context& context)
    : Controller("stateful-sets", context),
      adoption_(StatefulSets(), [](const ObjectName& set, const ObjectName& pod) {
        return OrdinalOf(set.name, pod.name) >= 0;
      }) {}

void StatefulSetController::Observe(const Change& change) { adoption_.Observe(change, queue_); }

void StatefulSetController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(StatefulSets().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  if (At(ObjectAt(&document, "metadata"), "deletionTimestamp")) return;
  if (const apiserver::store::ObjectPtr wrote = adoption_.Run(context_, key, document)) {
    Wrote(key, wrote);
    return queue_.Add(key);
  }
  Members members;
  for (const PodRecord* pod : context_.pods.OwnedBy(object->uid)) {
    const int64_t ordinal = OrdinalOf(key.name, pod->name().name);
    if (ordinal >= 0) members[ordinal] = pod;
  }
  const Plan plan = MakePlan(document, members);
  Step(key, document, plan, members);
  WriteStatus(key, document, plan, members);
}

StatefulSetController::Plan StatefulSetController::MakePlan(const JsonObject& document,
                                                            const Members& members) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const JsonObject* strategy = ObjectAt(spec, "updateStrategy");
  Plan plan;
  plan.start = std::max<int64_t>(0, IntAt(ObjectAt(spec, "ordinals"), "start").value_or(0));
  plan.end = plan.start + std::max<int64_t>(0, IntAt(spec, "replicas").value_or(1));
  plan.partition = IntAt(ObjectAt(strategy, "rollingUpdate"), "partition").value_or(0);
  plan.ordered = StringAt(spec, "podManagementPolicy") != "Parallel";
  plan.rolls = StringAt(strategy, "type") != "OnDelete";
  // Pods are labelled with the whole name of their revision.
  const std::string prefix = std::string(StringAt(ObjectAt(&document, "metadata"), "name")) + "-";
  std::set<std::string> live;
  plan.current = StringAt(ObjectAt(&document, "status"), "currentRevision");
  for (const auto& [ordinal, pod] : members) {
    live.insert(RevisionOf(*pod).substr(std::min(prefix.size(), RevisionOf(*pod).size())));
  }
  if (plan.current.starts_with(prefix)) live.insert(plan.current.substr(prefix.size()));
  plan.update = EnsureRevision(context_, StatefulSets(), document, TemplateHash(document), live);
  if (plan.current.empty()) plan.current = plan.update;
  return plan;
}

void StatefulSetController::Step(const ObjectName& key, const JsonObject& document,
                                 const Plan& plan, const Members& members) {
  for (int64_t ordinal = plan.start; ordinal < plan.end; ++ordinal) {
    const auto found = members.find(ordinal);
    if (found == members.end()) {
      CreatePod(key, document, plan, ordinal);
      if (plan.ordered) return;
      continue;
    }
    const PodRecord& pod = *found->second;
    if (pod.finished() && !pod.deleting) {
      // It is recreated after its deletion.
      Remove(key, document, pod);
      if (plan.ordered) return;
      continue;
    }
    if (plan.ordered && !IsHealthy(pod)) return;
  }
  bool condemned = false;
  for (auto at = members.rbegin(); at != members.rend(); ++at) {
    const auto& [ordinal, pod] = *at;
    if (ordinal >= plan.start && ordinal < plan.end) continue;
    condemned = true;
    if (!pod->deleting) Remove(key, document, *pod);
    if (plan.ordered) return;
  }
  if (condemned || !plan.rolls) return;
  for (int64_t ordinal = plan.end; ordinal-- > plan.start + plan.partition;) {
    const auto found = members.find(ordinal);
    if (found == members.end()) return;
    const PodRecord& pod = *found->second;
    if (RevisionOf(pod) != plan.update && !pod.deleting) return Remove(key, document, pod);
    if (!IsHealthy(pod)) return;
  }
}

void StatefulSetController::Remove(const ObjectName& key, const JsonObject& document,
                                   const PodRecord& pod) {
  const auto deleted = context_.api.Delete(Pods(), pod.name(), {.uid = pod.uid()});
  if (!deleted) return;
  Wrote(key, deleted->object);
  Record(document, EventType::kNormal, "SuccessfulDelete",
         fmt::format("delete Pod {} in StatefulSet {} successful", pod.name().name, key.name));
}

void StatefulSetController::Record(const JsonObject& document, EventType type,
                                   std::string_view reason, std::string message) {
  context_.events.Record(InvolvedObject::Of(StatefulSets(), document), type, reason,
                         std::move(message), "statefulset-controller");
}

void StatefulSetController::CreatePod(const ObjectName& key, const JsonObject& document,
                                      const Plan& plan, int64_t ordinal) {
  const std::string name = fmt::format("{}-{}", key.name, ordinal);
  if (!CreateClaims(key, document, name)) return queue_.AddAfterFailure(key, context_.now());
  const std::string& revision =
      plan.rolls && ordinal < plan.start + plan.partition ? plan.current : plan.update;
  JsonObject pod =
      PodFromTemplate(TemplateOfRevision(context_, document, revision), StatefulSets(), document);
  JsonObject& metadata = EnsureObject(pod, "metadata");
  SetString(metadata, "name", name);
  JsonObject& labels = EnsureObject(metadata, "labels");
  SetString(labels, "statefulset.kubernetes.io/pod-name", name);
  SetString(labels, "apps.kubernetes.io/pod-index", fmt::format("{}", ordinal));
  SetString(labels, kRevisionHash, revision);
  const JsonObject* set_spec = ObjectAt(&document, "spec");
  JsonObject& spec = EnsureObject(pod, "spec");
  SetString(spec, "hostname", name);
  const std::string_view service = StringAt(set_spec, "serviceName");
  if (!service.empty()) SetString(spec, "subdomain", service);
  UseClaims(spec, set_spec, name);
  const auto created = context_.api.Create(Pods(), key.namespace_, std::move(pod));
  if (!created) {
    Record(document, EventType::kWarning, "FailedCreate",
           fmt::format("create Pod {} in StatefulSet {} failed error: {}", name, key.name,
                       created.error().message));
    return queue_.AddAfterFailure(key, context_.now());
  }
  queue_.Succeeded(key);
  Wrote(key, created->object);
  Record(document, EventType::kNormal, "SuccessfulCreate",
         fmt::format("create Pod {} in StatefulSet {} successful", name, key.name));
}

bool StatefulSetController::CreateClaims(const ObjectName& key, const JsonObject& document,
                                         const std::string& pod) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  for (const JsonObject& from : ObjectsAt(spec, "volumeClaimTemplates")) {
    const std::string name = std::string(StringAt(ObjectAt(&from, "metadata"), "name")) + "-" + pod;
    if (context_.store().Get(Claims().collection, {key.namespace_, name})) continue;
    JsonObject claim = from;
    JsonObject& metadata = EnsureObject(claim, "metadata");
    SetString(metadata, "name", name);
    metadata.erase("namespace");
    if (const JsonObject* labels = ObjectAt(ObjectAt(spec, "selector"), "matchLabels")) {
      for (const auto& [label, value] : *labels) EnsureObject(metadata, "labels")[label] = value;
    }
    const auto created = context_.api.Create(Claims(), key.namespace_, std::move(claim));
    if (!created) {
      Record(document, EventType::kWarning, "FailedCreate",
             fmt::format("create Claim {} for Pod {} in StatefulSet {} failed error: {}", name, pod,
                         key.name, created.error().message));
      return false;
    }
    Record(document, EventType::kNormal, "SuccessfulCreate",
           fmt::format("create Claim {} Pod {} in StatefulSet {} success", name, pod, key.name));
  }
  return true;
}

void StatefulSetController::WriteStatus(const ObjectName& key, const JsonObject& document,
                                        const Plan& plan, const Members& members) {
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const int64_t min_ready = IntAt(ObjectAt(&document, "spec"), "minReadySeconds").value_or(0);
  const Instant now = context_.now();
  std::optional<Instant> due;
  int64_t replicas = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t current = 0;
  int64_t updated = 0;
  for (const auto& [ordinal, pod] : members) {
    if (pod->finished()) continue;
    ++replicas;
    ready += pod->phase() == "Running" && pod->ready;
    available += pod->phase() == "Running" && IsAvailable(*pod, min_ready, now, due);
    if (pod->deleting) continue;
    current += RevisionOf(*pod) == plan.current;
    updated += RevisionOf(*pod) == plan.update;
  }
  if (due) queue_.AddAt(key, *due);
  const int64_t wanted = plan.end - plan.start;
  const bool complete = plan.rolls && plan.partition == 0 && updated == wanted && ready == wanted &&
                        replicas == wanted;
  const auto done = context_.api.Modify(StatefulSets(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != StringAt(metadata, "uid")) return false;
    JsonObject& status = EnsureObject(fields, "status");
    SetInt(status, "observedGeneration", IntAt(metadata, "generation").value_or(0));
    SetInt(status, "replicas", replicas);
    SetCount(status, "readyReplicas", ready);
    SetInt(status, "availableReplicas", available);
    SetCount(status, "currentReplicas", complete ? updated : current);
    SetCount(status, "updatedReplicas", updated);
    SetString(status, "currentRevision", complete ? plan.update : plan.current);
    SetString(status, "updateRevision", plan.update);
    SetInt(status, "collisionCount", 0);
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
