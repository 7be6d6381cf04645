// NodeLifecycle taints nodes by their conditions, and gives up on those whose lease expires: they
// become unreachable, and their pods are no longer ready.
#pragma once

#include <string>
#include <unordered_map>

#include "world/controller.h"

namespace berth::world {

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

}  // namespace berth::world
