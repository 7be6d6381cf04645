// What the engine hears and what it asks for: events in, commands out.
//
// Events are facts, in the order in which they became known: an object is now so, an object is
// gone, a write ended so. Commands are wishes: each has an id, and its end comes back as a
// WriteDone event.
#pragma once

#include <string>
#include <variant>

#include "api/object.h"
#include "base/ids.h"
#include "base/time.h"
#include "framework/writes.h"

namespace berth {

using CommandId = Id<struct CommandTag>;

// The object was added or changed, and now looks like this.
struct ObjectPut {
  api::Object object;
};

// The object is gone; this is how it last looked.
struct ObjectGone {
  api::Object object;
};

// The write of command `id` has ended.
struct WriteDone {
  CommandId id;
  WriteResult result;
};

// Someone outside speaks for a Permit plugin that holds a pod back: it allows or rejects the pod.
struct PermitSpoken {
  std::string uid;
  std::string plugin;
  bool allow = false;
  std::string message = {};  // Of a rejection.
};

using Event = std::variant<ObjectPut, ObjectGone, WriteDone, PermitSpoken>;

struct Command {
  CommandId id;
  ApiWrite write;
};

}  // namespace berth
