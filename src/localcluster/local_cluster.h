// LocalCluster is what lives around the API server: fake kubelets that run pods and keep nodes
// alive, and small controllers for workloads, budgets, volumes, nodes, namespaces and garbage.
//
// It works on the Api in-process, follows the store's events and sleeps until there is one or a
// timer is due; nothing polls. One thread runs all of it: its own after Start, else the caller's.
// Time is the given clock's alone.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/registry/api.h"
#include "base/time.h"

namespace berth::localcluster {

struct LocalClusterOptions {
  bool kubelets = true;     // Nodes get ready, bound pods run, deleted ones go.
  bool controllers = true;  // Workloads, budgets, volumes, node taints, garbage, namespaces.
  // Kubelets renew leases, and nodes whose lease expires count as unreachable. Costs up to 50
  // writes a second: with many nodes, leases last longer.
  bool leases = true;
  Duration start_delay = {};                 // From a pod's binding to its Running.
  Duration stop_delay = {};                  // From a pod's deletion to its end, if grace allows.
  Duration job_run = Duration::Seconds(10);  // How long pods of Jobs run that do not say it.
  // How many seconds the clock counts in a real one; says how long the thread may sleep.
  double speed = 1;
};

class LocalCluster {
 public:
  // Reads what there is; the rest is up to RunUntilIdle. `api` and `clock` must outlive the
  // LocalCluster.
  LocalCluster(apiserver::registry::Api& api, const Clock& clock, LocalClusterOptions options = {});
  // A LocalCluster that runs on a thread of its own until it goes.
  static std::unique_ptr<LocalCluster> Start(apiserver::registry::Api& api, const Clock& clock,
                                             LocalClusterOptions options = {});
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // Does all there is to do at the clock's time. Only for a LocalCluster without a thread.
  void RunUntilIdle();
  // When the next timer is due. Likewise.
  std::optional<Instant> NextDue() const;

  // How much each index and queue holds, as "name=count": what is left when all objects are gone
  // has leaked. Likewise.
  std::vector<std::string> Sizes() const;

 private:
  class Loop;
  class Thread;

  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Thread> thread_;  // Null without one. Ends before the loop does.
};

}  // namespace berth::localcluster
