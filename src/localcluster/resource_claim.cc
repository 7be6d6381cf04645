#include "localcluster/resource_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apiserver/store/codec.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace {

constexpr std::string_view kPodKey = "pod:";
constexpr std::string_view kClaimKey = "claim:";
// The entry of the pod for which a claim was made.
constexpr std::string_view kEntryAnnotation = "resource.kubernetes.io/pod-claim-name";
constexpr size_t kMaxConsumers = 256;

ObjectName KeyOf(std::string_view prefix, const ObjectName& name) {
  return {name.namespace_, std::string(prefix) + name.name};
}

bool IsPod(const JsonObject& consumer) {
  return StringAt(&consumer, "apiGroup").empty() && StringAt(&consumer, "resource") == "pods";
}

bool IsProtected(const JsonObject& claim) {
  const JsonArray* finalizers = ArrayAt(ObjectAt(&claim, "metadata"), "finalizers");
  return finalizers && std::ranges::find(*finalizers, Json(kClaimFinalizer)) != finalizers->end();
}

// Returns the uid of the pod that controls the claim, or "".
std::string PodThatControls(const JsonObject& claim) {
  const JsonObject* owner = ControllerOf(ObjectAt(&claim, "metadata"));
  if (StringAt(owner, "apiVersion") != "v1" || StringAt(owner, "kind") != "Pod") return {};
  return std::string(StringAt(owner, "uid"));
}

void AddUser(std::map<ObjectName, std::set<ObjectName>>& users, const std::set<ObjectName>& used,
             const ObjectName& pod) {
  for (const ObjectName& name : used) users[name].insert(pod);
}

void RemoveUser(std::map<ObjectName, std::set<ObjectName>>& users, const std::set<ObjectName>& used,
                const ObjectName& pod) {
  for (const ObjectName& name : used) {
    const auto found = users.find(name);
    if (found == users.end()) continue;
    found->second.erase(pod);
    if (found->second.empty()) users.erase(found);
  }
}

}  // namespace

std::string ClaimPrefix(std::string_view pod, std::string_view entry) {
  constexpr size_t kMaxPrefix = 57;
  std::string prefix = fmt::format("{}-{}-", pod, entry);
  if (prefix.size() <= kMaxPrefix) return prefix;
  const size_t length = prefix.size();
  return fmt::format("{}-{}", pod.substr(0, pod.size() * kMaxPrefix / length),
                     entry.substr(0, entry.size() * kMaxPrefix / length));
}

void ResourceClaimController::Observe(const Change& change) {
  if (&change.kind == &Pods()) return ObservePod(change);
  if (&change.kind == &ResourceClaims()) return ObserveClaim(change);
  if (&change.kind != &ResourceClaimTemplates() || change.deleted) return;
  // A template that comes late helps the pods that wait for it.
  const auto users = users_of_template_.find(change.object.key);
  if (users == users_of_template_.end()) return;
  for (const ObjectName& pod : users->second) queue_.Add(KeyOf(kPodKey, pod));
}

void ResourceClaimController::ObservePod(const Change& change) {
  const ObjectName& name = change.object.key;
  const PodClaims claims = PodClaims::Of(change.document);
  if (claims.empty() && !uses_.contains(name)) return;
  Uses uses;
  for (const PodClaims::Entry& entry : claims.entries) {
    if (!entry.template_name.empty()) uses.templates.insert({name.namespace_, entry.template_name});
    if (entry.claim) uses.claims.insert({name.namespace_, *entry.claim});
  }
  if (!claims.extended_resources.empty())
    uses.claims.insert({name.namespace_, claims.extended_resources});
  const bool is_deleting = At(ObjectAt(&change.document, "metadata"), "deletionTimestamp");
  if (change.deleted || IsDone(change.document)) {
    // Claims may exist that the status does not mention.
    const auto made = made_for_.find(change.object.uid);
    if (made != made_for_.end()) uses.claims.insert(made->second.begin(), made->second.end());
    for (const ObjectName& claim : uses.claims) queue_.Add(KeyOf(kClaimKey, claim));
  } else if (!is_deleting) {
    queue_.Add(KeyOf(kPodKey, name));
  }
  if (change.deleted) queue_.Forget(KeyOf(kPodKey, name));
  SetUses(name, change.deleted ? Uses() : std::move(uses));
}

void ResourceClaimController::ObserveClaim(const Change& change) {
  const ObjectName& name = change.object.key;
  const std::string pod_uid = PodThatControls(change.document);
  if (change.deleted) {
    if (const auto made = made_for_.find(pod_uid); made != made_for_.end()) {
      made->second.erase(name);
      if (made->second.empty()) made_for_.erase(made);
    }
    queue_.Forget(KeyOf(kClaimKey, name));
  } else {
    if (!pod_uid.empty()) made_for_[pod_uid].insert(name);
    queue_.Add(KeyOf(kClaimKey, name));
  }
  const auto users = users_of_claim_.find(name);
  if (users == users_of_claim_.end()) return;
  for (const ObjectName& pod : users->second) queue_.Add(KeyOf(kPodKey, pod));
}

void ResourceClaimController::SetUses(const ObjectName& pod, Uses uses) {
  if (const auto before = uses_.find(pod); before != uses_.end()) {
    RemoveUser(users_of_claim_, before->second.claims, pod);
    RemoveUser(users_of_template_, before->second.templates, pod);
    uses_.erase(before);
  }
  if (uses.claims.empty() && uses.templates.empty()) return;
  AddUser(users_of_claim_, uses.claims, pod);
  AddUser(users_of_template_, uses.templates, pod);
  uses_.emplace(pod, std::move(uses));
}

void ResourceClaimController::Sync(const ObjectName& key) {
  const std::string_view name = key.name;
  if (name.starts_with(kPodKey))
    return SyncPod({key.namespace_, std::string(name.substr(kPodKey.size()))});
  SyncClaim({key.namespace_, std::string(name.substr(kClaimKey.size()))});
}

void ResourceClaimController::SyncPod(const ObjectName& name) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Pods().collection, name);
  if (!object) return;
  const Json document = apiserver::store::Parse(*object);
  const JsonObject& pod = document.get_object();
  if (IsDone(pod) || At(ObjectAt(&pod, "metadata"), "deletionTimestamp")) return;
  const ObjectName key = KeyOf(kPodKey, name);
  PodClaims claims = PodClaims::Of(pod);
  std::map<std::string, std::string> made;
  std::string problem;
  for (PodClaims::Entry& entry : claims.entries) {
    if (entry.template_name.empty() || entry.not_needed) continue;
    const std::string claim = EnsureClaim(pod, entry, problem);
    if (!claim.empty() && entry.claim != claim) made[entry.name] = claim;
    if (!claim.empty()) entry.claim = claim;
  }
  if (!made.empty()) Record(name, object->uid, made);
  if (!problem.empty()) {
    context_.events.Record(InvolvedObject::Of(Pods(), pod), EventType::kWarning,
                           "FailedResourceClaimCreation", std::move(problem), "resource_claim");
    return queue_.AddAfterFailure(key, context_.now());
  }
  queue_.Succeeded(key);
  // The scheduler reserves claims; a pod that was bound by hand has none reserved.
  if (StringAt(ObjectAt(&pod, "spec"), "nodeName").empty()) return;
  for (const PodClaims::Entry& entry : claims.entries) {
    if (entry.claim) Reserve(name, object->uid, *entry.claim);
  }
}

std::string ResourceClaimController::EnsureClaim(const JsonObject& pod,
                                                 const PodClaims::Entry& entry,
                                                 std::string& problem) {
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  if (entry.claim) {
    const auto recorded = context_.store().Get(
        ResourceClaims().collection, {std::string(StringAt(metadata, "namespace")), *entry.claim});
    if (recorded && IsControlledBy(apiserver::store::Parse(*recorded).get_object(),
                                   StringAt(metadata, "uid"))) {
      return *entry.claim;
    }
  }
  std::string found = FindClaim(pod, entry);
  return found.empty() ? CreateClaim(pod, entry, problem) : found;
}

std::string ResourceClaimController::FindClaim(const JsonObject& pod,
                                               const PodClaims::Entry& entry) const {
  const auto made = made_for_.find(std::string(StringAt(ObjectAt(&pod, "metadata"), "uid")));
  if (made == made_for_.end()) return {};
  for (const ObjectName& name : made->second) {
    const auto object = context_.store().Get(ResourceClaims().collection, name);
    if (!object) continue;
    const Json document = apiserver::store::Parse(*object);
    const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
    if (At(metadata, "deletionTimestamp")) continue;
    if (StringAt(ObjectAt(metadata, "annotations"), kEntryAnnotation) == entry.name)
      return name.name;
  }
  return {};
}

std::string ResourceClaimController::CreateClaim(const JsonObject& pod,
                                                 const PodClaims::Entry& entry,
                                                 std::string& problem) {
  const auto fail = [&](const std::string& why) {
    problem = fmt::format("PodResourceClaim {}: {}", entry.name, why);
    return std::string();
  };
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const std::string space(StringAt(metadata, "namespace"));
  const auto object =
      context_.store().Get(ResourceClaimTemplates().collection, {space, entry.template_name});
  if (!object) {
    return fail(
        fmt::format("resource claim template \"{}\": resourceclaimtemplate.resource.k8s.io \"{}\" "
                    "not found",
                    entry.template_name, entry.template_name));
  }
  const Json document = apiserver::store::Parse(*object);
  const JsonObject* spec = ObjectAt(AsObject(document), "spec");
  JsonObject claim;
  JsonObject& own = EnsureObject(claim, "metadata");
  for (const std::string_view key : {"labels", "annotations"}) {
    if (const Json* value = At(ObjectAt(spec, "metadata"), key)) own[key] = *value;
  }
  SetString(EnsureObject(own, "annotations"), kEntryAnnotation, entry.name);
  SetString(own, "generateName", ClaimPrefix(StringAt(metadata, "name"), entry.name));
  EnsureArray(own, "ownerReferences")
      .push_back(JsonObject{{"apiVersion", "v1"},
                            {"kind", "Pod"},
                            {"name", StringAt(metadata, "name")},
                            {"uid", StringAt(metadata, "uid")},
                            {"controller", true}});
  if (const Json* requests = At(spec, "spec")) claim["spec"] = *requests;
  const auto created = context_.api.Create(ResourceClaims(), space, std::move(claim));
  if (!created) return fail(created.error().message);
  const apiserver::store::ObjectPtr& stored = created->object;
  made_for_[std::string(StringAt(metadata, "uid"))].insert(stored->key);
  Wrote(KeyOf(kPodKey, {space, std::string(StringAt(metadata, "name"))}), stored);
  return stored->key.name;
}

void ResourceClaimController::Record(const ObjectName& pod, std::string_view uid,
                                     const std::map<std::string, std::string>& claims) {
  const auto done = context_.api.Modify(Pods(), pod, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != uid) return false;
    JsonArray& statuses = EnsureArray(EnsureObject(fields, "status"), "resourceClaimStatuses");
    for (const auto& [entry, claim] : claims) {
      const auto found = std::ranges::find_if(
          statuses, [&](const Json& one) { return StringAt(AsObject(one), "name") == entry; });
      Json& status =
          found != statuses.end() ? *found : statuses.emplace_back(boost::json::object_kind);
      SetString(status.get_object(), "name", entry);
      SetString(status.get_object(), "resourceClaimName", claim);
    }
    return true;
  });
  if (done) Wrote(KeyOf(kPodKey, pod), *done);
}

void ResourceClaimController::Reserve(const ObjectName& pod, std::string_view uid,
                                      const std::string& claim) {
  const ObjectName name{pod.namespace_, claim};
  (void)context_.api.Modify(ResourceClaims(), name, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    JsonObject* status = ObjectAt(&fields, "status");
    const bool is_deleting = At(ObjectAt(&fields, "metadata"), "deletionTimestamp");
    if (!ObjectAt(status, "allocation") || is_deleting || IsReservedFor(fields, uid)) return false;
    JsonArray& consumers = EnsureArray(*status, "reservedFor");
    if (consumers.size() >= kMaxConsumers) return false;
    consumers.push_back(JsonObject{{"resource", "pods"}, {"name", pod.name}, {"uid", uid}});
    return true;
  });
}

bool ResourceClaimController::IsInUse(const ObjectName& pod, std::string_view uid) const {
  const apiserver::store::ObjectPtr object = context_.store().Get(Pods().collection, pod);
  return object && object->uid == uid && !IsDone(apiserver::store::Parse(*object).get_object());
}

bool ResourceClaimController::Release(const ObjectName& name, JsonObject& claim) const {
  JsonObject& status = EnsureObject(claim, "status");
  bool is_changed = false;
  JsonArray left;
  for (const JsonObject& consumer : ObjectsAt(&status, "reservedFor")) {
    const ObjectName pod{name.namespace_, std::string(StringAt(&consumer, "name"))};
    if (IsPod(consumer) && !IsInUse(pod, StringAt(&consumer, "uid"))) {
      is_changed = true;
    } else {
      left.emplace_back(consumer);
    }
  }
  const bool is_deleting = At(ObjectAt(&claim, "metadata"), "deletionTimestamp");
  const bool is_free = left.empty() && IsProtected(claim) && (is_changed || is_deleting);
  if (left.empty()) {
    status.erase("reservedFor");
  } else if (is_changed) {
    status["reservedFor"] = std::move(left);
  }
  if (!is_free) return is_changed;
  status.erase("allocation");
  status.erase("devices");
  RemoveText(EnsureObject(claim, "metadata"), "finalizers", kClaimFinalizer);
  return true;
}

void ResourceClaimController::SyncClaim(const ObjectName& name) {
  bool is_reserved = false;
  JsonObject owner;
  const auto done = context_.api.Modify(ResourceClaims(), name, [&](Json& newest) {
    JsonObject& claim = newest.get_object();
    const bool changed = Release(name, claim);
    is_reserved = !EmptyAt(ObjectAt(&claim, "status"), "reservedFor");
    const JsonObject* controller = ControllerOf(ObjectAt(&claim, "metadata"));
    owner = controller ? JsonObject(*controller, {}) : JsonObject();
    return changed;
  });
  if (!done) return;
  Wrote(KeyOf(kClaimKey, name), *done);
  if (is_reserved || StringAt(&owner, "kind") != "Pod") return;
  // Without its pod, the claim is left to the garbage collector.
  const ObjectName pod{name.namespace_, std::string(StringAt(&owner, "name"))};
  if (!context_.store().Get(Pods().collection, pod) || IsInUse(pod, StringAt(&owner, "uid")))
    return;
  (void)context_.api.Delete(ResourceClaims(), name, {.uid = (*done)->uid});
}

}  // namespace berth::localcluster
