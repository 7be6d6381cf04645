// Objects<T> holds the objects of a kind that rules look up by name: claims, volumes, services and
// so on. AssumeCache<T> holds versions of them that are not written yet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "api/meta.h"
#include "api/selector.h"

namespace berth::scheduler::model {

template <typename T>
class Objects {
 public:
  using Ref = std::shared_ptr<const T>;

  void Put(Ref object) {
    ++version_;
    api::ObjectKey key{object->metadata.namespace_, object->metadata.name};
    objects_.insert_or_assign(std::move(key), std::move(object));
  }
  // Returns false if there was no such object.
  bool Remove(const api::ObjectKey& key) {
    ++version_;
    return objects_.erase(key) > 0;
  }

  const T* Find(const api::ObjectKey& key) const {
    auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second.get();
  }

  // All objects by namespace and name, so that iteration is deterministic.
  const std::map<api::ObjectKey, Ref>& all() const { return objects_; }

  // Grows with every change.
  uint64_t version() const { return version_; }

 private:
  std::map<api::ObjectKey, Ref> objects_;
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
    api::ObjectKey key{object->metadata.namespace_, object->metadata.name};
    objects_.insert_or_assign(std::move(key), std::move(object));
  }
  void Revert(const api::ObjectKey& key) { objects_.erase(key); }

  // Returns the assumed object, or null.
  Ref Find(const api::ObjectKey& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Records that the API shows `object` now.
  void Seen(const T& object) {
    const auto found = objects_.find({object.metadata.namespace_, object.metadata.name});
    if (found == objects_.end()) return;
    const auto assumed = api::ParseInt(found->second->metadata.resource_version);
    const auto seen = api::ParseInt(object.metadata.resource_version);
    const bool seen_before = assumed && seen && *seen <= *assumed;
    if (!seen_before) objects_.erase(found);
  }

  bool empty() const { return objects_.empty(); }

 private:
  std::map<api::ObjectKey, Ref> objects_;
};

}  // namespace berth::scheduler::model
