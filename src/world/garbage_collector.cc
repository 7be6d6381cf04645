#include "world/garbage_collector.h"

#include <algorithm>

#include "world/documents.h"

namespace berth::world {

namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool HasFinalizer(const JsonObject* metadata, std::string_view name) {
  const JsonArray* finalizers = ArrayAt(metadata, "finalizers");
  return finalizers && std::ranges::find(*finalizers, Json(name)) != finalizers->end();
}

ObjectName Key(const std::string& uid) { return {"", uid}; }

// Drops the references to the owners for which `gone` holds.
template <typename Predicate>
void DropOwners(JsonObject& metadata, Predicate gone) {
  JsonArray* owners = ArrayAt(&metadata, "ownerReferences");
  for (size_t i = owners ? owners->size() : 0; i-- > 0;) {
    const JsonObject* owner = (*owners)[i].if_object();
    if (owner && gone(*owner)) owners->erase(owners->begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (owners && owners->empty()) metadata.erase("ownerReferences");
}

// True unless the store says that the owner, which may be in `namespace_`, is not there.
bool IsPresent(const store::Store& store, const JsonObject& owner, const std::string& namespace_) {
  const Kind* kind =
      apiserver::FindKindByName(StringAt(&owner, "apiVersion"), StringAt(&owner, "kind"));
  if (!kind || !kind->stored) return true;
  const ObjectName name{kind->namespaced ? namespace_ : "", std::string(StringAt(&owner, "name"))};
  const store::ObjectPtr object = store.Get(kind->collection, name);
  return object && object->uid == StringAt(&owner, "uid");
}

}  // namespace

void GarbageCollector::Observe(const Change& change) {
  const std::string& uid = change.object.uid;
  if (change.deleted) {
    Untrack(uid);
    ending_.erase(uid);
    const auto orphaned = dependents_.find(uid);
    if (orphaned == dependents_.end()) return;
    for (const std::string& dependent : orphaned->second) queue_.Add(Key(dependent));
    return;
  }
  const JsonObject* metadata = ObjectAt(&change.document, "metadata");
  Track(change);
  if (!At(metadata, "deletionTimestamp")) return;
  if (HasFinalizer(metadata, kForeground) || HasFinalizer(metadata, kOrphan)) {
    ending_[uid] = {&change.kind, change.object.key};
    queue_.Add(Key(uid));
  } else {
    ending_.erase(uid);
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
  objects_[uid] = {{&change.kind, change.object.key}, std::move(owners)};
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
    // One that waits for its dependents may have waited for this one.
    if (ending_.contains(owner)) queue_.Add(Key(owner));
  }
  objects_.erase(known);
  queue_.Forget(Key(uid));
}

void GarbageCollector::Sync(const ObjectName& key) {
  const std::string& uid = key.name;
  if (const auto ending = ending_.find(uid); ending != ending_.end()) End(uid, ending->second);
  if (const auto found = objects_.find(uid); found != objects_.end()) Judge(uid, found->second);
}

void GarbageCollector::End(const std::string& uid, const Place& place) {
  const store::ObjectPtr object = context_.store().Get(place.kind->collection, place.name);
  if (!object || object->uid != uid) return;
  const Json document = apiserver::Parse(*object);
  const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
  if (HasFinalizer(metadata, kOrphan)) {
    ReleaseDependents(Key(uid), uid, place);
  } else if (HasFinalizer(metadata, kForeground)) {
    DeleteDependents(Key(uid), uid, place);
  }
}

void GarbageCollector::DeleteDependents(const ObjectName& key, const std::string& uid,
                                        const Place& place) {
  bool blocked = false;
  const auto group = dependents_.find(uid);
  const std::set<std::string> dependents =
      group == dependents_.end() ? std::set<std::string>() : group->second;
  for (const std::string& dependent : dependents) {
    const Place& its = objects_.at(dependent).place;
    const store::ObjectPtr object = context_.store().Get(its.kind->collection, its.name);
    if (!object || object->uid != dependent) continue;
    const Json document = apiserver::Parse(*object);
    const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
    for (const JsonObject& owner : ObjectsAt(metadata, "ownerReferences")) {
      blocked |= StringAt(&owner, "uid") == uid && BoolAt(&owner, "blockOwnerDeletion");
    }
    if (At(metadata, "deletionTimestamp")) continue;
    // Whoever has no dependents of its own need not wait for them.
    const bool deep = dependents_.contains(dependent);
    const auto gone = context_.api.Delete(
        *its.kind, its.name,
        {.propagation_policy = deep ? "Foreground" : "Background", .uid = dependent});
    if (gone) Wrote(key, gone->object);
  }
  if (!blocked) RemoveFinalizer(key, place, kForeground);
}

void GarbageCollector::ReleaseDependents(const ObjectName& key, const std::string& uid,
                                         const Place& place) {
  const auto group = dependents_.find(uid);
  const std::set<std::string> dependents =
      group == dependents_.end() ? std::set<std::string>() : group->second;
  for (const std::string& dependent : dependents) {
    const Place& its = objects_.at(dependent).place;
    (void)context_.api.Modify(*its.kind, its.name, [&](Json& newest) {
      DropOwners(ObjectIn(newest.get_object(), "metadata"),
                 [&](const JsonObject& owner) { return StringAt(&owner, "uid") == uid; });
      return true;
    });
  }
  RemoveFinalizer(key, place, kOrphan);
}

void GarbageCollector::RemoveFinalizer(const ObjectName& key, const Place& place,
                                       std::string_view finalizer) {
  const auto done = context_.api.Modify(*place.kind, place.name, [&](Json& newest) {
    JsonObject& metadata = ObjectIn(newest.get_object(), "metadata");
    return StringAt(&metadata, "uid") == key.name && RemoveText(metadata, "finalizers", finalizer);
  });
  if (done) Wrote(key, *done);
}

void GarbageCollector::Judge(const std::string& uid, const Dependent& dependent) {
  const Kind& kind = *dependent.place.kind;
  const ObjectName& name = dependent.place.name;
  const store::ObjectPtr object = context_.store().Get(kind.collection, name);
  if (!object || object->uid != uid) return;
  const Json document = apiserver::Parse(*object);
  const JsonObject* metadata = ObjectAt(AsObject(document), "metadata");
  const auto is_gone = [&](const JsonObject& owner) {
    return !IsPresent(context_.store(), owner, name.namespace_);
  };
  const auto owners = ObjectsAt(metadata, "ownerReferences");
  const auto gone = std::ranges::count_if(owners, is_gone);
  if (gone == 0 || At(metadata, "deletionTimestamp")) return;
  if (gone < static_cast<std::ptrdiff_t>(owners.size())) {
    const auto done = context_.api.Modify(kind, name, [&](Json& newest) {
      DropOwners(ObjectIn(newest.get_object(), "metadata"), is_gone);
      return true;
    });
    if (done) Wrote(Key(uid), *done);
    return;
  }
  const auto deleted =
      context_.api.Delete(kind, name, {.propagation_policy = "Background", .uid = uid});
  if (deleted) Wrote(Key(uid), deleted->object);
}

}  // namespace berth::world
