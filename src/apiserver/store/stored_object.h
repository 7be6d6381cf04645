// A version of an API object as the store keeps it: whole, as JSON, unknown fields included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth::apiserver::store {

// resourceVersion: one counter for the whole store, so that versions order all changes.
using Version = uint64_t;

// Where an object lives within its collection. The namespace of cluster-scoped objects is empty.
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
  // The values of the fields that the collection's field selectors may name, in its order.
  std::vector<std::string> fields;
  // The object with kind, apiVersion and metadata.resourceVersion.
  std::string json;
  size_t version_at = 0;  // Where the digits of its resourceVersion begin in `json`.
};
using ObjectPtr = std::shared_ptr<const Object>;

// An object that is about to be stored: its `json` lacks the digits of its resourceVersion, which
// belong at `version_at`. The store sets the object's own `version` and `version_at`.
struct Draft {
  Object object;
  size_t version_at = 0;
};

// Event: a change of one object, as the history of its collection keeps it.
enum class EventType : uint8_t { kAdded, kModified, kDeleted };

// The object of kDeleted is its last state with the version of the deletion.
struct Event {
  EventType type = EventType::kAdded;
  ObjectPtr object;
  ObjectPtr previous;  // Null if kAdded.
  Version version() const { return object->version; }
};

// Writes versions into the JSON of objects.
// The object of `draft`, with room in its JSON for the digits of `expected`. Allocates; meant to
// be called without the store's lock.
std::shared_ptr<Object> MakeObject(Draft draft, Version expected);

// Makes `version` the object's. Writes in place if it has as many digits as the one before.
void Stamp(Object& object, Version version);

// A copy of `object` that differs in its version alone.
ObjectPtr WithVersion(const Object& object, Version version);

}  // namespace berth::apiserver::store
