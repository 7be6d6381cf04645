// ObjectCache remembers what an engine has been told of one collection, and finds out what it is to
// hear next: nothing is lost, and nothing told that did not happen.
//
// It holds one pointer an object; what it told and what the engine knows are the same objects.
// Names are compared within one kind. Pods that have finished are gone, as far as the engine is
// concerned.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/object.h"

namespace berth::client {

// All that a collection holds at some moment.
struct ObjectList {
  std::vector<api::Object> objects;
  // Objects that are there but cannot be read: what was told of them stays.
  std::vector<api::ObjectKey> unreadable = {};
};

class ObjectCache {
 public:
  // The object as it was told; null if it was not, or is gone.
  const api::Object* Find(std::string_view namespace_, std::string_view name) const;

  // `object` itself, or the copy that was told if that is the same version of the same object:
  // whoever collects a long list holds the unchanged ones only once.
  api::Object Share(api::Object object) const;

  // These append what the engine is to hear, in order, if anything.

  // The object was created or changed. A version that was told before is no news. One that has the
  // name of another (its uid differs) means that the other is gone.
  void Put(api::Object object, std::vector<api::ObjectChange>& out);
  void Gone(std::string_view namespace_, std::string_view name,
            std::vector<api::ObjectChange>& out);
  // The collection now holds what `list` says: tells what is gone, by name, then what is new or
  // has changed, in the order of the list.
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

  void Forget(Objects::iterator told, std::vector<api::ObjectChange>& out);

  Objects objects_;
};

}  // namespace berth::client
