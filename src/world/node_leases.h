// NodeLeases renews the leases of the nodes in kube-node-lease, by which others see that the
// kubelets live.
//
// Every ten seconds each, as kubelets do, while there are few nodes. With more of them leases last
// longer, so that all together cost at most 50 writes a second.
#pragma once

#include "world/controller.h"

namespace berth::world {

class NodeLeases final : public Controller {
 public:
  explicit NodeLeases(Context& context) : Controller("node-leases", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.

 private:
  Duration Interval() const;
  void Renew(const NodeRecord& node, int64_t seconds);
};

}  // namespace berth::world
