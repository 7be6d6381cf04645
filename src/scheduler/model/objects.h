// Objects<T> holds the objects of a kind that rules look up by name: claims, volumes, services and
// so on. AssumeCache<T> holds versions of them that are not written yet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "api/meta.h"
#include "api/selector.h"
#include "scheduler/model/object_name.h"

namespace berth::scheduler::model {

template <typename T>
class Objects {
 public:
  using Ref = std::shared_ptr<const T>;

  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void Put(Ref object) {
    ++version_;
    const auto known = by_name_.find(ObjectName(object->metadata));
    if (known != by_name_.end()) {
      known->second->second = std::move(object);
      return;
    }
    api::ObjectKey key{object->metadata.namespace_, object->metadata.name};
    const auto added = objects_.emplace(std::move(key), std::move(object)).first;
    by_name_.emplace(ObjectName(added->first), added);
  }
  // Returns false if there was no such object.
  bool Remove(const api::ObjectKey& key) {
    ++version_;
    const auto known = by_name_.find(key);
    if (known == by_name_.end()) return false;
    const auto object = known->second;
    by_name_.erase(known);
    objects_.erase(object);
    return true;
  }

  const T* Find(const ObjectName& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second->second.get();
  }
  Ref FindRef(const ObjectName& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second->second;
  }

  // All objects by namespace and name, so that iteration is deterministic.
  const std::map<api::ObjectKey, Ref>& all() const { return objects_; }

  // Grows with every change.
  uint64_t version() const { return version_; }

 private:
  using ByKey = std::map<api::ObjectKey, Ref>;
  ByKey objects_;
  // Most changes are of objects that are known: those need no search among the keys of others.
  std::unordered_map<ObjectName, typename ByKey::iterator, ObjectNameHash, ObjectNameEqual>
      by_name_;
  uint64_t version_ = 0;
};

// AssumeCache holds objects as they will be after writes that the API has not shown yet, so that
// the next decision takes them into account.
//
// An assumption is about one version of an object: it ends when the API shows a newer one, or when
// the object is deleted.
template <typename T>
class AssumeCache {
 public:
  using Ref = std::shared_ptr<const T>;

  // `object` is the version that the API showed last, with changes; replaces an earlier assumption.
  void Assume(Ref object) {
    Revert(ObjectName(object->metadata));
    const ObjectName name(object->metadata);
    objects_.emplace(name, std::move(object));
  }
  void Revert(const ObjectName& name) { objects_.erase(name); }

  // Returns the assumed object, or null.
  Ref Find(const ObjectName& name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Records that the API shows `object` now.
  void Seen(const T& object) {
    const auto found = objects_.find(ObjectName(object.metadata));
    if (found == objects_.end()) return;
    const auto assumed = api::ParseInt(found->second->metadata.resource_version);
    const auto seen = api::ParseInt(object.metadata.resource_version);
    const bool seen_before = assumed && seen && *seen <= *assumed;
    if (!seen_before) objects_.erase(found);
  }

  bool empty() const { return objects_.empty(); }

 private:
  std::unordered_map<ObjectName, Ref, ObjectNameHash, ObjectNameEqual> objects_;
};

}  // namespace berth::scheduler::model
