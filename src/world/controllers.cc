#include "world/controllers.h"

#include "world/daemon_set.h"
#include "world/deployment.h"
#include "world/disruption.h"
#include "world/garbage_collector.h"
#include "world/job.h"
#include "world/namespace_controller.h"
#include "world/node_kubelet.h"
#include "world/node_leases.h"
#include "world/node_lifecycle.h"
#include "world/pod_gc.h"
#include "world/pod_kubelet.h"
#include "world/replica_set.h"
#include "world/stateful_set.h"
#include "world/taint_eviction.h"
#include "world/volume_binder.h"

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
    all.push_back(std::make_unique<NodeLifecycle>(context));
    all.push_back(std::make_unique<TaintEviction>(context));
    all.push_back(std::make_unique<PodGarbageCollector>(context));
    all.push_back(std::make_unique<DeploymentController>(context));
    all.push_back(std::make_unique<ReplicaSetController>(context, ReplicaSets()));
    all.push_back(std::make_unique<ReplicaSetController>(context, ReplicationControllers()));
    all.push_back(std::make_unique<StatefulSetController>(context));
    all.push_back(std::make_unique<DaemonSetController>(context));
    all.push_back(std::make_unique<JobController>(context));
    all.push_back(std::make_unique<VolumeBinder>(context));
    all.push_back(std::make_unique<DisruptionController>(context));
    all.push_back(std::make_unique<GarbageCollector>(context));
    all.push_back(std::make_unique<NamespaceController>(context));
  }
  return all;
}

}  // namespace berth::world
