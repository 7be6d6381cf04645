// NodeIndex holds all nodes by name, with the fields that kubelets and controllers read often.
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

// Annotation of a node without a fake kubelet: "none" if a real kubelet runs it, "stopped" to
// simulate a dead one.
inline constexpr std::string_view kKubeletAnnotation = "berth.dev/kubelet";

struct NodeRecord {
  apiserver::store::ObjectPtr object;
  api::Ref<api::Node> node;  // Null if it cannot be decoded.
  bool has_kubelet = false;  // A fake kubelet of this local cluster runs it.
  // Its status has a Ready condition and a pod capacity: pods may start.
  bool registered = false;
  std::string ready = {};    // Status of the Ready condition, or "".
  std::string address = {};  // Internal IP.
  std::string pod_cidr = {};
  Amounts allocatable = {};

  const std::string& name() const { return object->key.name; }
};

class NodeIndex {
 public:
  // Inserts or replaces the node; returns the previous record, if any.
  std::optional<NodeRecord> Put(apiserver::store::ObjectPtr object,
                                const api::JsonObject& document);
  std::optional<NodeRecord> Remove(const std::string& name);

  const NodeRecord* Find(const std::string& name) const;  // Or null.
  const std::map<std::string, NodeRecord>& all() const { return nodes_; }

 private:
  std::map<std::string, NodeRecord> nodes_;
};

}  // namespace berth::localcluster
