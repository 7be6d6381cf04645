// Objects<T> holds the objects of a kind that rules look up by name: claims, volumes, services and
// so on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "api/meta.h"

namespace berth {

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

  // All objects by namespace and name, so that walks repeat.
  const std::map<api::ObjectKey, Ref>& all() const { return objects_; }

  // Rises with every change.
  uint64_t version() const { return version_; }

 private:
  std::map<api::ObjectKey, Ref> objects_;
  uint64_t version_ = 0;
};

}  // namespace berth
