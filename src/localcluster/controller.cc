#include "localcluster/controller.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "api/timestamp.h"
#include "localcluster/coordinated_election.h"
#include "localcluster/daemon_set.h"
#include "localcluster/deployment.h"
#include "localcluster/device_taint_eviction.h"
#include "localcluster/disruption.h"
#include "localcluster/garbage_collector.h"
#include "localcluster/job.h"
#include "localcluster/node_kubelet.h"
#include "localcluster/node_lifecycle.h"
#include "localcluster/persistent_volume_controller.h"
#include "localcluster/pod_kubelet.h"
#include "localcluster/replica_set.h"
#include "localcluster/resource_claim.h"
#include "localcluster/stateful_set.h"

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

void WriteWarning(Context& context, const JsonObject& pod, std::string_view component,
                  std::string_view reason, std::string_view message) {
  static const Kind& events = api::scheme::KindOf("events");
  const JsonObject* metadata = ObjectAt(&pod, "metadata");
  const std::string_view space = StringAt(metadata, "namespace");
  const std::string_view pod_name = StringAt(metadata, "name");
  const std::string now = api::FormatTime(context.now());
  const JsonObject involved{{"kind", "Pod"},
                            {"apiVersion", "v1"},
                            {"namespace", space},
                            {"name", pod_name},
                            {"uid", StringAt(metadata, "uid")}};
  const std::string name = fmt::format("{}.{:x}", pod_name, context.now().nanos);
  JsonObject event{{"metadata", JsonObject{{"name", name}}},
                   {"involvedObject", involved},
                   {"type", "Warning"},
                   {"reason", reason},
                   {"message", message},
                   {"source", JsonObject{{"component", component}}},
                   {"firstTimestamp", now},
                   {"lastTimestamp", now},
                   {"count", 1}};
  (void)context.api.Create(events, space, std::move(event));
}

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
    all.push_back(std::make_unique<NodeLifecycle>(context));
    all.push_back(std::make_unique<TaintEviction>(context));
    all.push_back(std::make_unique<PodGarbageCollector>(context));
    AddWorkloadControllers(context, all);
    all.push_back(std::make_unique<PersistentVolumeController>(context));
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
