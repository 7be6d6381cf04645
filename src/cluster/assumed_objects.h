// AssumedObjects holds objects as they will be once writes have been carried out that the API has
// not shown yet, so that the next decision reckons with them.
//
// An assumption is about one version of an object: it ends when the API shows a newer one, or when
// the object goes.
#pragma once

#include <map>
#include <memory>

#include "api/meta.h"
#include "api/selector.h"

namespace berth {

template <typename T>
class AssumedObjects {
 public:
  using Ref = std::shared_ptr<const T>;

  // `object` is what the API shows last, with changes; replaces an earlier assumption.
  void Assume(Ref object) {
    api::ObjectKey key{object->metadata.namespace_, object->metadata.name};
    objects_.insert_or_assign(std::move(key), std::move(object));
  }
  void Revert(const api::ObjectKey& key) { objects_.erase(key); }

  // The assumed object, or null.
  Ref Find(const api::ObjectKey& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Tells that the API shows `object` now.
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

}  // namespace berth
