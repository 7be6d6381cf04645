// Object is one version of an API object as stored: its complete JSON, with the metadata that the
// store and selectors need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::apiserver::store {

// The resourceVersion: one counter for the whole store, so that versions order all changes.
using Version = uint64_t;

// Identifies an object within its collection. The namespace of cluster-scoped objects is empty.
struct ObjectName {
  std::string namespace_;
  std::string name;
  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

// Immutable once stored; readers and watchers share it.
struct Object {
  ObjectName key;
  std::string uid;
  Version version = 0;
  std::vector<std::pair<std::string, std::string>> labels;  // By key.
  // The values of Kind::selectable_fields, in that order.
  std::vector<std::string> fields;
  // The object with kind, apiVersion and metadata.resourceVersion.
  std::string json;
  size_t version_at = 0;  // The position of the digits of the resourceVersion in `json`.
};
using ObjectPtr = std::shared_ptr<const Object>;

// An object to be stored. Its `json` lacks the digits of the resourceVersion, which belong at
// `version_at`. The store sets the object's own `version` and `version_at`.
struct Draft {
  Object object;
  size_t version_at = 0;
};

enum class EventType : uint8_t { kAdded, kModified, kDeleted };

// A change of one object. The object of kDeleted is its last state with the version of the
// deletion.
struct Event {
  EventType type = EventType::kAdded;
  ObjectPtr object;
  ObjectPtr previous;  // Null if kAdded.
  Version version() const { return object->version; }
};

// Returns about how much memory the object occupies.
size_t MemoryOf(const Object& object);

// Returns the object of `draft` at version `expected`. Allocates, so it should be called without
// the store's lock.
std::shared_ptr<Object> MakeObject(Draft draft, Version expected);

// Sets the object's version. Does not allocate if the number of digits stays the same.
void Stamp(Object& object, Version version);

// Returns a copy of `object` at another version.
ObjectPtr WithVersion(const Object& object, Version version);

}  // namespace berth::apiserver::store
