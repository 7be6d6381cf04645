// The controllers that react to node failures: NodeLifecycle taints nodes, TaintEviction evicts
// pods from tainted nodes, and PodGarbageCollector removes the pods of deleted nodes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "localcluster/controller.h"

namespace berth::localcluster {

// Sets the pod's DisruptionTarget condition and, if `fail` is set and the pod has not finished, its
// phase to Failed.
void MarkDisrupted(Context& context, const PodRecord& pod, std::string_view reason,
                   std::string_view message, bool fail);

// NodeLifecycle taints nodes by their conditions. A node whose lease expires becomes unreachable,
// and its pods become not ready.
class NodeLifecycle final : public Controller {
 public:
  explicit NodeLifecycle(Context& context) : Controller("node-lifecycle", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key names a node.
  size_t index_size() const override { return expiry_.size(); }

 private:
  // Records the events of a change of a node.
  void RecordChange(const Change& change);
  void MarkPodsNotReady(const std::string& node);

  // When the lease of each node expires.
  std::unordered_map<std::string, Instant> expiry_;
};

// TaintEviction deletes pods from nodes with NoExecute taints: immediately, or when their
// tolerationSeconds have passed.
class TaintEviction final : public Controller {
 public:
  explicit TaintEviction(Context& context) : Controller("taint-eviction", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key names a pod.
};

// PodGarbageCollector deletes pods that are bound to nodes which have not existed for a while.
class PodGarbageCollector final : public Controller {
 public:
  explicit PodGarbageCollector(Context& context) : Controller("pod-gc", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key names a node.
};

}  // namespace berth::localcluster
