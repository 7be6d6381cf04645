#include "localcluster/volume_protection.h"

#include <algorithm>

#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";

// Returns the claims of a pod: those that it names and those of its ephemeral volumes.
std::set<ObjectName> ClaimsOf(const ObjectName& pod, const JsonObject& document) {
  std::set<ObjectName> claims;
  for (const JsonObject& volume : ObjectsAt(ObjectAt(&document, "spec"), "volumes")) {
    const std::string_view name = StringAt(ObjectAt(&volume, "persistentVolumeClaim"), "claimName");
    if (!name.empty()) claims.insert({pod.namespace_, std::string(name)});
    if (ObjectAt(&volume, "ephemeral")) {
      claims.insert({pod.namespace_, pod.name + "-" + std::string(StringAt(&volume, "name"))});
    }
  }
  return claims;
}

bool HasText(const JsonObject* metadata, std::string_view finalizer) {
  const JsonArray* list = ArrayAt(metadata, "finalizers");
  return list && std::ranges::find(*list, Json(finalizer)) != list->end();
}

}  // namespace

void VolumeProtection::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Claims() || &change.kind == &Volumes()) {
    if (change.deleted) return queue_.Forget(name);
    const JsonObject* metadata = ObjectAt(&change.document, "metadata");
    const bool protects =
        HasText(metadata, &change.kind == &Claims() ? kClaimFinalizer : kVolumeFinalizer);
    if (protects == (At(metadata, "deletionTimestamp") != nullptr)) queue_.Add(name);
    return;
  }
  if (&change.kind != &Pods()) return;
  // A pod without claims costs nothing but this look.
  const bool known = claims_of_.contains(name);
  if (!known && change.previous && !change.deleted) return;
  std::set<ObjectName> claims;
  if (!change.deleted) claims = ClaimsOf(name, change.document);
  if (known && !change.deleted && claims_of_[name] == claims) {
    if (change.pod->finished()) {
      for (const ObjectName& claim : claims) queue_.Add(claim);
    }
    return;
  }
  if (const auto before = claims_of_.find(name); before != claims_of_.end()) {
    for (const ObjectName& claim : before->second) {
      const auto pods = pods_of_.find(claim);
      pods->second.erase(name);
      if (pods->second.empty()) pods_of_.erase(pods);
      queue_.Add(claim);
    }
    claims_of_.erase(before);
  }
  if (claims.empty()) return;
  for (const ObjectName& claim : claims) pods_of_[claim].insert(name);
  claims_of_[name] = std::move(claims);
}

void VolumeProtection::Sync(const ObjectName& key) {
  if (key.namespace_.empty()) return SetFinalizer(Volumes(), key, kVolumeFinalizer);
  SetFinalizer(Claims(), key, kClaimFinalizer);
}

// Kubelets do not start pods whose claim is being deleted, so only placed ones use it.
bool VolumeProtection::IsUsed(const ObjectName& claim) const {
  const auto pods = pods_of_.find(claim);
  return pods != pods_of_.end() && std::ranges::any_of(pods->second, [&](const ObjectName& name) {
           const PodRecord* pod = context_.pods.Find(name);
           return pod && !pod->node().empty() && !pod->finished();
         });
}

void VolumeProtection::SetFinalizer(const Kind& kind, const ObjectName& key,
                                    std::string_view finalizer) {
  const bool used = &kind == &Claims() && IsUsed(key);
  const auto done = context_.api.Modify(kind, key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    JsonObject& metadata = EnsureObject(fields, "metadata");
    if (!At(&metadata, "deletionTimestamp")) {
      if (HasText(&metadata, finalizer)) return false;
      EnsureArray(metadata, "finalizers").emplace_back(finalizer);
      return true;
    }
    const bool bound =
        &kind == &Volumes() && StringAt(ObjectAt(&fields, "status"), "phase") == "Bound";
    return !used && !bound && RemoveText(metadata, "finalizers", finalizer);
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
