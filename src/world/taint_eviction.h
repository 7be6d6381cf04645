// TaintEviction deletes pods from nodes with NoExecute taints: at once, or when the time is up for
// which they tolerate them.
#pragma once

#include "world/controller.h"

namespace berth::world {

class TaintEviction final : public Controller {
 public:
  explicit TaintEviction(Context& context) : Controller("taint-eviction", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key is a pod's.
};

}  // namespace berth::world
