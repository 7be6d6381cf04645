// WorkloadExpansion creates the pods of workloads without a cluster: it runs the controllers of a
// local cluster, and nothing else, on a store of its own.
//
// Pods are those that exist once every pod of the workload has started, however the workload orders
// them: a StatefulSet gets all its pods at once. Deterministic: where a cluster generates names,
// pods are numbered from 1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "base/time.h"
#include "localcluster/local_cluster.h"

namespace berth::localcluster {

// The largest number of pods that are created for all workloads together: the most that Kubernetes
// supports in a cluster. A larger number of replicas is probably a mistake, and costs about 20 KB
// of memory for each pod.
inline constexpr int64_t kMaxExpandedPods = 150'000;

// Reports whether controllers create pods for objects of this kind.
bool IsWorkload(const api::scheme::Kind& kind);

class WorkloadExpansion {
 public:
  // `now` is when everything is created.
  explicit WorkloadExpansion(Instant now);
  ~WorkloadExpansion();

  // Adds an object that workloads depend on: a node, namespace, class, claim, LimitRange, a
  // ResourceQuota with its status, or a pod that may be adopted. It must be complete. Must be
  // called before the first Expand.
  void AddObject(const api::scheme::Kind& kind, const api::JsonObject& document);

  struct Expanded {
    // ReplicaSets, then claims, then pods, in the order of their creation.
    std::vector<api::Json> objects;
    // Why pods are forbidden: a quota, a LimitRange or a class that does not exist. Empty if all
    // are created.
    std::string refused;
    int64_t wanted = 0, created = 0;  // Pods, if some are refused.
  };
  // Returns what the controllers create for a new workload. A CronJob runs once, unless it is
  // suspended. The error is that of an API server that finds the workload or its pods invalid.
  Result<Expanded> Expand(const api::scheme::Kind& kind, api::Json workload);

 private:
  Status Create(const api::scheme::Kind& kind, const std::string& namespace_, api::Json workload,
                Expanded& expanded);
  // Returns the objects of the kind that it has not returned before.
  std::vector<api::Json> TakeNew(const api::scheme::Kind& kind);
  // Returns why one more of the workload's pods cannot be created.
  api::scheme::ApiResult<void> CheckPod(const api::scheme::Kind& kind,
                                        const std::string& namespace_,
                                        const api::JsonObject& workload);
  void NumberName(api::JsonObject& metadata);

  SimClock clock_;
  std::unique_ptr<apiserver::store::Store> store_;
  std::unique_ptr<apiserver::registry::Api> api_;  // Null before the first Expand.
  std::unique_ptr<LocalCluster> cluster_;          // Likewise.
  std::set<std::pair<apiserver::store::Collection, apiserver::store::ObjectName>> known_;
  apiserver::store::Version seen_ = 0;
  std::map<std::string, int64_t> numbers_;  // The last number by prefix.
  int64_t pods_ = 0;                        // Created so far.
  size_t nodes_ = 0;
};

}  // namespace berth::localcluster
