// Controller is the base class of the kubelets and controllers of a local cluster: it observes
// every change, queues the keys of objects that need attention, and syncs them one by one.
//
// All controllers run on the local cluster's thread and share its pod and node indexes, which
// already include a change when Observe is called with it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/registry/api.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "localcluster/event_recorder.h"
#include "localcluster/local_cluster.h"
#include "localcluster/node_index.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_index.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

using api::Json;
using api::JsonArray;
using api::JsonObject;

// What all controllers share.
struct Context {
  apiserver::registry::Api& api;
  const Clock& clock;
  const LocalClusterOptions& options;
  PodIndex pods = {};
  NodeIndex nodes = {};
  EventRecorder events{api, clock};

  Instant now() const { return clock.Now(); }
  const apiserver::store::Store& store() const { return api.store(); }
};

// One change of one object, decoded once for all controllers. Valid during Observe.
struct Change {
  const Kind& kind;
  bool deleted = false;
  const apiserver::store::Object& object;              // The last state if deleted.
  const apiserver::store::Object* previous = nullptr;  // The state before; null if new.
  const JsonObject& document;
  const PodRecord* pod = nullptr;  // For pods: the index entry, or the last one.
  const PodRecord* previous_pod = nullptr;
  const NodeRecord* node = nullptr;  // For nodes, likewise.
  const NodeRecord* previous_node = nullptr;
  api::scheme::KindPtr owned_kind = {};  // The same as `kind`, to be retained.
};

class Controller {
 public:
  // `context` must outlive the controller.
  Controller(std::string_view name, Context& context) : context_(context), name_(name) {}
  virtual ~Controller() = default;

  virtual void Observe(const Change& change) = 0;
  // Reconciles the object, or whatever else the key identifies. The object may no longer exist.
  virtual void Sync(const ObjectName& key) = 0;
  // Returns how many entries the controller's own indexes hold.
  virtual size_t index_size() const { return 0; }

  std::string_view name() const { return name_; }
  WorkQueue& queue() { return queue_; }
  const WorkQueue& queue() const { return queue_; }

 protected:
  // Delays the key's next Sync until the local cluster has observed this write.
  void Wrote(const ObjectName& key, const apiserver::store::ObjectPtr& object) {
    if (object) queue_.Hold(key, object->version);
  }

  Context& context_;
  WorkQueue queue_;

 private:
  std::string_view name_;
};

// Creates the kubelets and controllers that the options enable. `context` must outlive them.
std::vector<std::unique_ptr<Controller>> MakeControllers(Context& context);

}  // namespace berth::localcluster
