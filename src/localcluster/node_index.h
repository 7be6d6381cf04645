// NodeIndex knows all nodes as far as kubelets and controllers look at them often.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/object.h"
#include "apiserver/store/stored_object.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

// Set to "none" on a node that somebody else's kubelet runs, or to "stopped" on one whose kubelet
// shall be dead: then nothing happens on the node.
inline constexpr std::string_view kKubeletAnnotation = "berth.dev/kubelet";

struct NodeRecord {
  apiserver::store::ObjectPtr object;
  api::Ref<api::Node> node;  // Null if it cannot be read.
  bool runs = false;         // A kubelet of this world is at work.
  // It has said how it is and how much it has: pods may start.
  bool registered = false;
  std::string ready = {};    // The status of the condition: "True", "False", "Unknown"; "".
  std::string address = {};  // Internal IP.
  std::string pod_cidr = {};
  Amounts allocatable = {};

  const std::string& name() const { return object->key.name; }
};

class NodeIndex {
 public:
  // Returns what was known of the node, if anything.
  std::optional<NodeRecord> Put(apiserver::store::ObjectPtr object,
                                const api::JsonObject& document);
  std::optional<NodeRecord> Remove(const std::string& name);

  const NodeRecord* Find(const std::string& name) const;  // Or null.
  const std::map<std::string, NodeRecord>& all() const { return nodes_; }

 private:
  std::map<std::string, NodeRecord> nodes_;
};

}  // namespace berth::localcluster
