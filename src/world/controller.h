// Controller is one of the loops that keep the world going: it hears of every change, notes which
// of its objects need a look, and looks at them one by one.
//
// All of them run on the world's thread and share its indexes, which are up to date with the
// changes that Observe has been told of.
#pragma once

#include <string_view>

#include "apiserver/api.h"
#include "base/time.h"
#include "store/event.h"
#include "world/kinds.h"
#include "world/node_index.h"
#include "world/pod_index.h"
#include "world/work_queue.h"
#include "world/world.h"

namespace berth::world {

using apiserver::Json;
using apiserver::JsonArray;
using apiserver::JsonObject;

// What all controllers work with.
struct Context {
  apiserver::Api& api;
  const Clock& clock;
  const WorldOptions& options;
  PodIndex pods = {};
  NodeIndex nodes = {};

  Instant now() const { return clock.Now(); }
  const store::Store& store() const { return api.store(); }
};

// A change of one object, decoded once for all who hear of it. Valid while they are told.
struct Change {
  const Kind& kind;
  bool deleted = false;
  const store::Object& object;              // If deleted, its last state.
  const store::Object* previous = nullptr;  // As last told; null if it is new.
  const JsonObject& document;
  const PodRecord* pod = nullptr;  // Of pods: what the index holds, or held last.
  const PodRecord* previous_pod = nullptr;
  const NodeRecord* node = nullptr;  // Of nodes, likewise.
  const NodeRecord* previous_node = nullptr;
};

class Controller {
 public:
  // `context` must outlive the controller.
  Controller(std::string_view name, Context& context) : context_(context), name_(name) {}
  virtual ~Controller() = default;

  virtual void Observe(const Change& change) = 0;
  // Brings the object, or whatever else the key stands for, to where it should be. It may be gone.
  virtual void Sync(const ObjectName& key) = 0;
  // How many entries its own indexes hold.
  virtual size_t index_size() const { return 0; }

  std::string_view name() const { return name_; }
  WorkQueue& queue() { return queue_; }
  const WorkQueue& queue() const { return queue_; }

 protected:
  // The key's next Sync waits until the world has seen this write.
  void Wrote(const ObjectName& key, const store::ObjectPtr& object) {
    if (object) queue_.Hold(key, object->version);
  }

  Context& context_;
  WorkQueue queue_;

 private:
  std::string_view name_;
};

}  // namespace berth::world
