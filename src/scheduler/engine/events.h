// The engine's input and output: events and commands.
//
// Events are facts, in the order in which they became known: an object is added or changed, an
// object is deleted, a write has ended. Commands are requests: each has an id, and its result comes
// back as a WriteDone event.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/object_fwd.h"
#include "base/id.h"
#include "base/time.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::engine {

using CommandId = Id<struct CommandTag>;

using api::ObjectDeleted;
using api::ObjectPut;

// The write of command `id` has ended.
struct WriteDone {
  CommandId id;
  framework::WriteResult result;
};

// A decision from outside for a Permit plugin that delays a pod: allows or rejects the pod.
struct PermitDecision {
  std::string uid;
  std::string plugin;
  bool allow = false;
  std::string message = {};  // Of a rejection.
};

using Event = std::variant<ObjectPut, ObjectDeleted, WriteDone, PermitDecision>;

// Appends `changes` to `out`, in order.
void AppendEvents(std::vector<api::ObjectChange> changes, std::vector<Event>& out);

struct Command {
  CommandId id;
  framework::ApiWrite write;
};

}  // namespace berth::scheduler::engine
