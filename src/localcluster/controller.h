// Controller is one of the loops that keep the world going: it hears of every change, notes which
// of its objects need a look, and looks at them one by one.
//
// All of them run on the world's thread and share its indexes, which are up to date with the
// changes that Observe has been told of.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/registry/api.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "localcluster/local_cluster.h"
#include "localcluster/node_index.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_index.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

using api::Json;
using api::JsonArray;
using api::JsonObject;

// What all controllers work with.
struct Context {
  apiserver::registry::Api& api;
  const Clock& clock;
  const LocalClusterOptions& options;
  PodIndex pods = {};
  NodeIndex nodes = {};

  Instant now() const { return clock.Now(); }
  const apiserver::store::Store& store() const { return api.store(); }
};

// A change of one object, decoded once for all who hear of it. Valid while they are told.
struct Change {
  const Kind& kind;
  bool deleted = false;
  const apiserver::store::Object& object;              // If deleted, its last state.
  const apiserver::store::Object* previous = nullptr;  // As last told; null if it is new.
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
  void Wrote(const ObjectName& key, const apiserver::store::ObjectPtr& object) {
    if (object) queue_.Hold(key, object->version);
  }

  Context& context_;
  WorkQueue queue_;

 private:
  std::string_view name_;
};

// The list of all kubelets and controllers.
// Those that the options ask for. `context` must outlive them.
std::vector<std::unique_ptr<Controller>> MakeControllers(Context& context);

}  // namespace berth::localcluster
