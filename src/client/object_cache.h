// ObjectCache holds the objects of one collection as they were last reported to the engine, and
// derives the changes to report next.
//
// It stores one pointer per object and shares the objects with the engine. All objects are of one
// kind. Finished pods count as deleted.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/object.h"

namespace berth::client {

// The contents of a collection at one version.
struct ObjectList {
  std::vector<api::Object> objects;
  // Objects that exist but cannot be decoded: their last version stays cached.
  std::vector<api::ObjectKey> unreadable = {};
};

class ObjectCache {
 public:
  // Returns the cached object, or null.
  const api::Object* Find(std::string_view namespace_, std::string_view name) const;

  // Returns the cached copy if it is the same version of the same object, else `object`: a caller
  // that collects a long list stores unchanged objects only once.
  api::Object Share(api::Object object) const;

  // The functions below append the changes to report, in order, if any.

  // Adds or updates an object. The cached version is no change. A different uid means that the
  // cached object was deleted.
  void Put(api::Object object, std::vector<api::ObjectChange>& out);
  void Gone(std::string_view namespace_, std::string_view name,
            std::vector<api::ObjectChange>& out);
  // Replaces the collection by `list`: reports deleted objects, by name, then new and changed ones,
  // in the order of the list.
  void Replace(ObjectList list, std::vector<api::ObjectChange>& out);

  size_t size() const { return objects_.size(); }

 private:
  struct Name {
    std::string_view namespace_;
    std::string_view name;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  static Name NameOf(const api::Object& object);
  static Name NameOf(Name name) { return name; }

  struct Hash {
    using is_transparent = void;
    size_t operator()(Name name) const;
    size_t operator()(const api::Object& object) const { return (*this)(NameOf(object)); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return NameOf(a) == NameOf(b); }
  };
  using Objects = std::unordered_set<api::Object, Hash, Equal>;

  void Forget(Objects::iterator cached, std::vector<api::ObjectChange>& out);

  Objects objects_;
};

}  // namespace berth::client
