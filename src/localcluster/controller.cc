#include "localcluster/controller.h"

#include "localcluster/coordinated_election.h"
#include "localcluster/coscheduling_status.h"
#include "localcluster/cron_job.h"
#include "localcluster/daemon_set.h"
#include "localcluster/deployment.h"
#include "localcluster/device_taint_eviction.h"
#include "localcluster/disruption.h"
#include "localcluster/endpoint_slices.h"
#include "localcluster/garbage_collector.h"
#include "localcluster/horizontal_autoscaler.h"
#include "localcluster/job.h"
#include "localcluster/node_kubelet.h"
#include "localcluster/node_lifecycle.h"
#include "localcluster/persistent_volume_controller.h"
#include "localcluster/pod_group_protection.h"
#include "localcluster/pod_kubelet.h"
#include "localcluster/replica_set.h"
#include "localcluster/resource_claim.h"
#include "localcluster/resource_quota.h"
#include "localcluster/service_accounts.h"
#include "localcluster/stateful_set.h"
#include "localcluster/volume_protection.h"

namespace berth::localcluster {

namespace {

void AddWorkloadControllers(Context& context, std::vector<std::unique_ptr<Controller>>& all) {
  all.push_back(std::make_unique<DeploymentController>(context));
  all.push_back(std::make_unique<ReplicaSetController>(context, ReplicaSets()));
  all.push_back(std::make_unique<ReplicaSetController>(context, ReplicationControllers()));
  all.push_back(std::make_unique<StatefulSetController>(context));
  all.push_back(std::make_unique<DaemonSetController>(context));
  all.push_back(std::make_unique<JobController>(context));
}

}  // namespace

std::vector<std::unique_ptr<Controller>> MakeControllers(Context& context) {
  std::vector<std::unique_ptr<Controller>> all;
  const LocalClusterOptions& options = context.options;
  if (options.kubelets) {
    all.push_back(std::make_unique<NodeKubelet>(context));
    if (options.leases) all.push_back(std::make_unique<NodeLeases>(context));
    all.push_back(std::make_unique<PodKubelet>(context));
  }
  if (options.workloads_only) {
    AddWorkloadControllers(context, all);
  } else if (options.controllers) {
    all.push_back(std::make_unique<ServiceAccounts>(context));
    all.push_back(std::make_unique<NodeLifecycle>(context));
    all.push_back(std::make_unique<TaintEviction>(context));
    all.push_back(std::make_unique<PodGarbageCollector>(context));
    AddWorkloadControllers(context, all);
    all.push_back(std::make_unique<CronJobController>(context));
    all.push_back(std::make_unique<HorizontalAutoscaler>(context));
    all.push_back(std::make_unique<EndpointsController>(context));
    all.push_back(std::make_unique<PersistentVolumeController>(context));
    all.push_back(std::make_unique<VolumeProtection>(context));
    all.push_back(std::make_unique<PodGroupProtection>(context));
    all.push_back(std::make_unique<CoschedulingStatus>(context));
    all.push_back(std::make_unique<ResourceQuotaController>(context));
    all.push_back(std::make_unique<ResourceClaimController>(context));
    all.push_back(std::make_unique<DeviceTaintEviction>(context));
    all.push_back(std::make_unique<DisruptionController>(context));
    all.push_back(std::make_unique<CoordinatedElection>(context));
    all.push_back(std::make_unique<GarbageCollector>(context));
    all.push_back(std::make_unique<NamespaceController>(context));
  }
  return all;
}

}  // namespace berth::localcluster
