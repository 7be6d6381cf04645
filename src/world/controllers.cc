#include "world/controllers.h"

#include "world/node_kubelet.h"
#include "world/node_leases.h"
#include "world/pod_kubelet.h"
#include "world/replica_set.h"

namespace berth::world {

std::vector<std::unique_ptr<Controller>> MakeControllers(Context& context) {
  std::vector<std::unique_ptr<Controller>> all;
  const WorldOptions& options = context.options;
  if (options.kubelets) {
    all.push_back(std::make_unique<NodeKubelet>(context));
    if (options.leases) all.push_back(std::make_unique<NodeLeases>(context));
    all.push_back(std::make_unique<PodKubelet>(context));
  }
  if (options.controllers) {
    all.push_back(std::make_unique<ReplicaSetController>(context, ReplicaSets()));
    all.push_back(std::make_unique<ReplicaSetController>(context, ReplicationControllers()));
  }
  return all;
}

}  // namespace berth::world
