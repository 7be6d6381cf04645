#include "client/object_cache.h"

#include <algorithm>
#include <utility>

#include "base/string_hash.h"

namespace berth::client {
namespace {

bool IsFinished(const api::Object& object) {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  return pod != nullptr && (*pod)->finished();
}

// Reports whether both have the same version. An object without a version is always new.
bool IsSameVersion(const api::Object& a, const api::Object& b) {
  const api::ObjectMeta& left = api::MetaOf(a);
  const api::ObjectMeta& right = api::MetaOf(b);
  return left.uid == right.uid && left.resource_version == right.resource_version &&
         !left.resource_version.empty();
}

}  // namespace

ObjectCache::Name ObjectCache::NameOf(const api::Object& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  return {meta.namespace_, meta.name};
}

size_t ObjectCache::Hash::operator()(Name name) const {
  const StringHash hash;
  return hash(name.namespace_) * 31 + hash(name.name);
}

const api::Object* ObjectCache::Find(std::string_view namespace_, std::string_view name) const {
  const auto cached = objects_.find(Name{namespace_, name});
  return cached == objects_.end() ? nullptr : &*cached;
}

api::Object ObjectCache::Share(api::Object object) const {
  const auto cached = objects_.find(object);
  if (cached != objects_.end() && IsSameVersion(*cached, object)) return *cached;
  return object;
}

void ObjectCache::Put(api::Object object, std::vector<api::ObjectChange>& out) {
  const auto cached = objects_.find(object);
  if (IsFinished(object)) {
    if (cached != objects_.end()) Forget(cached, out);
    return;
  }
  if (cached != objects_.end()) {
    if (IsSameVersion(*cached, object)) return;
    if (api::MetaOf(*cached).uid != api::MetaOf(object).uid) {
      Forget(cached, out);
    } else {
      objects_.erase(cached);
    }
  }
  objects_.insert(object);
  out.push_back(api::ObjectPut{std::move(object)});
}

void ObjectCache::Gone(std::string_view namespace_, std::string_view name,
                       std::vector<api::ObjectChange>& out) {
  const auto cached = objects_.find(Name{namespace_, name});
  if (cached != objects_.end()) Forget(cached, out);
}

void ObjectCache::Forget(Objects::iterator cached, std::vector<api::ObjectChange>& out) {
  out.push_back(api::ObjectDeleted{*cached});
  objects_.erase(cached);
}

void ObjectCache::Replace(ObjectList list, std::vector<api::ObjectChange>& out) {
  std::vector<Name> gone;
  if (!objects_.empty()) {
    std::unordered_set<Name, Hash, Equal> there;
    for (const api::Object& object : list.objects) {
      if (!IsFinished(object)) there.insert(NameOf(object));
    }
    for (const api::ObjectKey& key : list.unreadable) there.insert({key.namespace_, key.name});
    for (const api::Object& object : objects_) {
      if (!there.contains(NameOf(object))) gone.push_back(NameOf(object));
    }
  }
  std::ranges::sort(gone);
  for (const Name& name : gone) Forget(objects_.find(name), out);
  objects_.reserve(list.objects.size());
  for (api::Object& object : list.objects) Put(std::move(object), out);
}

}  // namespace berth::client
