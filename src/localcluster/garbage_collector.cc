#include "localcluster/garbage_collector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool HasFinalizer(const JsonObject* metadata, std::string_view name) {
  const JsonArray* finalizers = ArrayAt(metadata, "finalizers");
  return finalizers && std::ranges::find(*finalizers, Json(name)) != finalizers->end();
}

ObjectName Key(const std::string& uid) { return {"", uid}; }

// Removes the references to the owners for which `gone` holds.
template <typename Predicate>
void DropOwners(JsonObject& metadata, Predicate gone) {
  JsonArray* owners = ArrayAt(&metadata, "ownerReferences");
  for (size_t i = owners ? owners->size() : 0; i-- > 0;) {
    const JsonObject* owner = (*owners)[i].if_object();
    if (owner && gone(*owner)) owners->erase(owners->begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (owners && owners->empty()) metadata.erase("ownerReferences");
}

// Reports whether the owner, which may be in `namespace_`, exists or is of an unknown kind.
bool Exists(apiserver::registry::Api& api, const JsonObject& owner, const std::string& namespace_) {
  const api::scheme::KindPtr kind =
      api.kinds()->FindByName(StringAt(&owner, "apiVersion"), StringAt(&owner, "kind"));
  if (!kind || !kind->stored) return true;
  const ObjectName name{kind->namespaced ? namespace_ : "", std::string(StringAt(&owner, "name"))};
  const apiserver::store::ObjectPtr object = api.store().Get(kind->collection, name);
  return object && object->uid == StringAt(&owner, "uid");
}

}  // namespace

void GarbageCollector::Observe(const Change& change) {
  const std::string& uid = change.object.uid;
  if (change.deleted) {
    Untrack(uid);
    deleting_.erase(uid);
    const auto orphaned = dependents_.find(uid);
    if (orphaned == dependents_.end()) return;
    for (const std::string& dependent : orphaned->second) queue_.Add(Key(dependent));
    return;
  }
  const JsonObject* metadata = ObjectAt(&change.document, "metadata");
  Track(change);
  if (!At(metadata, "deletionTimestamp")) return;
  if (HasFinalizer(metadata, kForeground) || HasFinalizer(metadata, kOrphan)) {
    deleting_[uid] = {change.owned_kind, change.object.key};
    queue_.Add(Key(uid));
  } else {
    deleting_.erase(uid);
  }
}

void GarbageCollector::Track(const Change& change) {
  const std::string& uid = change.object.uid;
  const JsonObject* metadata = ObjectAt(&change.document, "metadata");
  std::vector<std::string> owners;
  for (const JsonObject& owner : ObjectsAt(metadata, "ownerReferences")) {
    owners.emplace_back(StringAt(&owner, "uid"));
  }
  const auto known = objects_.find(uid);
  if (known == objects_.end() ? owners.empty() : known->second.owners == owners) return;
  Untrack(uid);
  if (owners.empty()) return;
  for (const std::string& owner : owners) dependents_[owner].insert(uid);
  objects_[uid] = {{change.owned_kind, change.object.key}, std::move(owners)};
  queue_.Add(Key(uid));
}

void GarbageCollector::Untrack(const std::string& uid) {
  const auto known = objects_.find(uid);
  if (known == objects_.end()) return;
  for (const std::string& owner : known->second.owners) {
    const auto group = dependents_.find(owner);
    if (group == dependents_.end()) continue;
    group->second.erase(uid);
    if (group->second.empty()) dependents_.erase(group);
    // The owner may have waited for this dependent.
    if (deleting_.contains(owner)) queue_.Add(Key(owner));
  }
  objects_.erase(known);
  queue_.Forget(Key(uid));
}

void GarbageCollector::Sync(const ObjectName& key) {
  const std::string& uid = key.name;
  if (const auto ending = deleting_.find(uid); ending != deleting_.end())
    ProcessDeleting(uid, ending->second);
  if (const auto found = objects_.find(uid); found != objects_.end())
    AttemptToDelete(uid, found->second);
}

void GarbageCollector::ProcessDeleting(const std::string& uid, const Reference& reference) {
  const apiserver::store::ObjectPtr object =
      context_.store().Get(reference.kind->collection, reference.name);
  if (!object || object->uid != uid) return;
  const Json document = apiserver::store::Parse(*object);
  const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
  if (HasFinalizer(metadata, kOrphan)) {
    ReleaseDependents(Key(uid), uid, reference);
  } else if (HasFinalizer(metadata, kForeground)) {
    DeleteDependents(Key(uid), uid, reference);
  }
}

void GarbageCollector::DeleteDependents(const ObjectName& key, const std::string& uid,
                                        const Reference& reference) {
  bool blocked = false;
  const auto group = dependents_.find(uid);
  const std::set<std::string> dependents =
      group == dependents_.end() ? std::set<std::string>() : group->second;
  for (const std::string& dependent : dependents) {
    const Reference& target = objects_.at(dependent).reference;
    const apiserver::store::ObjectPtr object =
        context_.store().Get(target.kind->collection, target.name);
    if (!object || object->uid != dependent) continue;
    const Json document = apiserver::store::Parse(*object);
    const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
    if (HasOtherOwner(metadata, uid, target.name.namespace_)) {
      Release(target, uid);
      continue;
    }
    for (const JsonObject& owner : ObjectsAt(metadata, "ownerReferences")) {
      blocked |= StringAt(&owner, "uid") == uid && BoolAt(&owner, "blockOwnerDeletion") &&
                 !MayBeInCircle(dependent);
    }
    if (At(metadata, "deletionTimestamp")) continue;
    // An object without dependents of its own needs no foreground deletion.
    const bool deep = dependents_.contains(dependent);
    const auto deleted = context_.api.Delete(
        *target.kind, target.name,
        {.propagation_policy = deep ? "Foreground" : "Background", .uid = dependent});
    if (deleted) Wrote(key, deleted->object);
  }
  if (!blocked) RemoveFinalizer(key, reference, kForeground);
}

void GarbageCollector::ReleaseDependents(const ObjectName& key, const std::string& uid,
                                         const Reference& reference) {
  const auto group = dependents_.find(uid);
  const std::set<std::string> dependents =
      group == dependents_.end() ? std::set<std::string>() : group->second;
  for (const std::string& dependent : dependents) {
    Release(objects_.at(dependent).reference, uid);
  }
  RemoveFinalizer(key, reference, kOrphan);
}

bool GarbageCollector::HasOtherOwner(const JsonObject* metadata, const std::string& uid,
                                     const std::string& namespace_) const {
  return std::ranges::any_of(ObjectsAt(metadata, "ownerReferences"), [&](const JsonObject& owner) {
    const std::string other(StringAt(&owner, "uid"));
    return other != uid && !deleting_.contains(other) && Exists(context_.api, owner, namespace_);
  });
}

bool GarbageCollector::MayBeInCircle(const std::string& uid) const {
  const auto group = dependents_.find(uid);
  return group != dependents_.end() &&
         std::ranges::any_of(group->second, [&](const std::string& dependent) {
           return deleting_.contains(dependent);
         });
}

void GarbageCollector::Release(const Reference& dependent, const std::string& uid) {
  (void)context_.api.Modify(*dependent.kind, dependent.name, [&](Json& newest) {
    RemoveOwner(EnsureObject(newest.get_object(), "metadata"), uid);
    return true;
  });
}

void GarbageCollector::RemoveFinalizer(const ObjectName& key, const Reference& reference,
                                       std::string_view finalizer) {
  const auto done = context_.api.Modify(*reference.kind, reference.name, [&](Json& newest) {
    JsonObject& metadata = EnsureObject(newest.get_object(), "metadata");
    return StringAt(&metadata, "uid") == key.name && RemoveText(metadata, "finalizers", finalizer);
  });
  if (done) Wrote(key, *done);
}

void GarbageCollector::AttemptToDelete(const std::string& uid, const Dependent& dependent) {
  const Kind& kind = *dependent.reference.kind;
  const ObjectName& name = dependent.reference.name;
  const apiserver::store::ObjectPtr object = context_.store().Get(kind.collection, name);
  if (!object || object->uid != uid) return;
  const Json document = apiserver::store::Parse(*object);
  const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
  const auto is_gone = [&](const JsonObject& owner) {
    return !Exists(context_.api, owner, name.namespace_);
  };
  const auto owners = ObjectsAt(metadata, "ownerReferences");
  const auto gone = std::ranges::count_if(owners, is_gone);
  if (gone == 0 || At(metadata, "deletionTimestamp")) return;
  if (gone < static_cast<std::ptrdiff_t>(owners.size())) {
    const auto done = context_.api.Modify(kind, name, [&](Json& newest) {
      DropOwners(EnsureObject(newest.get_object(), "metadata"), is_gone);
      return true;
    });
    if (done) Wrote(Key(uid), *done);
    return;
  }
  const auto deleted =
      context_.api.Delete(kind, name, {.propagation_policy = "Background", .uid = uid});
  if (deleted) Wrote(Key(uid), deleted->object);
}

namespace {

// To count again what is left, should a change have been missed.
constexpr Duration kRecount = Duration::Seconds(10);

std::string Counted(const std::map<std::string, size_t>& counts, std::string_view verb) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    texts.push_back(fmt::format("{} {} {} resource instances", name, verb, count));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// Says what keeps the namespace from being removed. All kinds are known and all can be deleted, so
// that the conditions about failures are always false.
void SetDeletionConditions(JsonObject& status, const apiserver::registry::NamespaceContent& content,
                           Instant now) {
  const auto set = [&](std::string_view type, bool value, std::string_view reason,
                       std::string_view message) {
    apiserver::admission::SetCondition(status, type, value ? "True" : "False", reason, message,
                                       now);
  };
  set("NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
      "All resources successfully discovered");
  set("NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
      "All legacy kube types successfully parsed");
  set("NamespaceDeletionContentFailure", false, "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization");
  const bool remains = content.objects > 0;
  set("NamespaceContentRemaining", remains, remains ? "SomeResourcesRemain" : "ContentRemoved",
      remains ? "Some resources are remaining: " + Counted(content.by_resource, "has")
              : "All content successfully removed");
  const bool finalizes = !content.by_finalizer.empty();
  set("NamespaceFinalizersRemaining", finalizes,
      finalizes ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
      finalizes ? "Some content in the namespace has finalizers remaining: " +
                      Counted(content.by_finalizer, "in")
                : "All content-preserving finalizers finished");
}

}  // namespace

void NamespaceController::Observe(const Change& change) {
  if (&change.kind == &Namespaces()) {
    const ObjectName& key = change.object.key;
    if (change.deleted) {
      remaining_.erase(key.name);
      return queue_.Forget(key);
    }
    const bool ends = At(ObjectAt(&change.document, "metadata"), "deletionTimestamp") != nullptr;
    if (ends && !remaining_.contains(key.name)) queue_.Add(key);
  } else if (change.deleted && !remaining_.empty()) {
    const auto left = remaining_.find(change.object.key.namespace_);
    if (left == remaining_.end()) return;
    if (left->second > 0) --left->second;
    if (left->second == 0) queue_.Add({"", left->first});
  }
}

void NamespaceController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Namespaces().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  if (!At(ObjectAt(AsObject(parsed), "metadata"), "deletionTimestamp")) return;
  const apiserver::registry::NamespaceContent content =
      context_.api.DeleteNamespaceContent(key.name, std::nullopt);
  remaining_[key.name] = content.objects;
  if (content.objects > 0) queue_.AddAt(key, context_.now() + kRecount);
  (void)context_.api.Modify(Namespaces(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != object->uid) return false;
    if (content.objects == 0) {
      return RemoveText(EnsureObject(fields, "spec"), "finalizers", "kubernetes");
    }
    SetDeletionConditions(EnsureObject(fields, "status"), content, context_.now());
    return true;
  });
}

}  // namespace berth::localcluster
