// What is written to a pod before a controller takes it away.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "localcluster/controller.h"

namespace berth::localcluster {

// Sets the condition DisruptionTarget, by which others see that the pod did not end by itself; and
// its phase to Failed, if it is not over yet and `fail` says so.
void MarkDisrupted(Context& context, const PodRecord& pod, std::string_view reason,
                   std::string_view message, bool fail);

// NodeLifecycle taints nodes by their conditions, and gives up on those whose lease expires: they
// become unreachable, and their pods are no longer ready.
class NodeLifecycle final : public Controller {
 public:
  explicit NodeLifecycle(Context& context) : Controller("node-lifecycle", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.
  size_t index_size() const override { return expiry_.size(); }

 private:
  void MarkPodsNotReady(const std::string& node);

  // When each node that has a lease counts as silent.
  std::unordered_map<std::string, Instant> expiry_;
};

// TaintEviction deletes pods from nodes with NoExecute taints: at once, or when the time is up for
// which they tolerate them.
class TaintEviction final : public Controller {
 public:
  explicit TaintEviction(Context& context) : Controller("taint-eviction", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key is a pod's.
};

// PodGarbageCollector removes pods that are bound to nodes which do not exist, once they have been
// missing for a while.
class PodGarbageCollector final : public Controller {
 public:
  explicit PodGarbageCollector(Context& context) : Controller("pod-gc", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.
};

}  // namespace berth::localcluster
