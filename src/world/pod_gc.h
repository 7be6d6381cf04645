// PodGarbageCollector removes pods that are bound to nodes which do not exist, once they have been
// missing for a while.
#pragma once

#include "world/controller.h"

namespace berth::world {

class PodGarbageCollector final : public Controller {
 public:
  explicit PodGarbageCollector(Context& context) : Controller("pod-gc", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& node) override;  // The key is a node's.
};

}  // namespace berth::world
