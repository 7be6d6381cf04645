// PodAdoption lets the workloads of one kind adopt orphaned pods that their selector matches, and
// release pods that it no longer matches. It also queues workloads whose pods change.
#pragma once

#include <unordered_set>

#include "apiserver/store/stored_object.h"
#include "localcluster/controller.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

class PodAdoption {
 public:
  // Reports whether a workload may own a pod that has the labels of its selector.
  using Filter = bool (*)(const ObjectName& workload, const ObjectName& pod);

  explicit PodAdoption(const Kind& kind, Filter may_own = nullptr)
      : kind_(kind), may_own_(may_own) {}

  // Queues the workload that changed, the owners of a pod that changed, and the workloads that may
  // adopt it.
  void Observe(const Change& change, WorkQueue& queue);
  // Adopts and releases pods of the workload if that may be necessary. Returns the result of the
  // last write, after which the workload must be synced again, or null.
  apiserver::store::ObjectPtr Run(Context& context, const ObjectName& key,
                                  const JsonObject& workload);

  // Returns the number of entries in all tables.
  size_t size() const { return selectors_.size() + pending_.size(); }

 private:
  void ObserveWorkload(const Change& change, WorkQueue& queue);
  bool Owns(const ObjectName& key, const PodRecord& pod) const;

  const Kind& kind_;
  Filter may_own_;
  SelectorIndex selectors_;
  // Workloads that may have to adopt or release pods.
  std::unordered_set<ObjectName, NameHash> pending_;
};

}  // namespace berth::localcluster
