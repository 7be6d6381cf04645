// Event: a change of one object, as the history of its collection keeps it.
#pragma once

#include <cstdint>

#include "store/object.h"

namespace berth::store {

enum class EventType : uint8_t { kAdded, kModified, kDeleted };

// The object of kDeleted is its last state with the version of the deletion.
struct Event {
  EventType type = EventType::kAdded;
  ObjectPtr object;
  ObjectPtr previous;  // Null if kAdded.
  Version version() const { return object->version; }
};

}  // namespace berth::store
