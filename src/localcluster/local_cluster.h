// LocalCluster simulates the rest of a cluster around the API server: fake kubelets that run pods
// and heartbeat for their nodes, and small controllers for workloads, budgets, volumes, nodes,
// namespaces and garbage collection.
//
// It calls the Api in-process, watches the store and sleeps until an event arrives or a timer is
// due; it does not poll. All of it runs on one thread: its own after Start, otherwise the caller's.
// Time comes only from the given clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/api.h"
#include "base/time.h"

namespace berth::localcluster {

class PodStages;

struct LocalClusterOptions {
  bool kubelets = true;         // Nodes become ready, bound pods run, deleted pods terminate.
  bool controllers = true;      // Workloads, budgets, volumes, node taints, garbage, namespaces.
  bool workloads_only = false;  // Of the controllers, only those that create pods.
  // Kubelets renew leases, and a node whose lease expires becomes unreachable. Costs at most 50
  // writes per second: with many nodes, leases last longer.
  bool leases = true;
  // For pods whose annotations (pod_behavior.h) and stages do not say otherwise.
  Duration start_delay = {};  // From a pod's binding to Running.
  Duration stop_delay = {};   // From a pod's deletion to its removal, at most its grace period.
  Duration job_run = Duration::Seconds(10);      // Run time of the containers of Job pods.
  std::shared_ptr<const PodStages> stages = {};  // Null: there are none.
  uint64_t seed = 0;                             // Of what stages draw.
  // Time acceleration factor: seconds of `clock` per real second. Determines how long the thread
  // sleeps.
  double speed = 1;
  std::string root_ca = {};  // Certificates (PEM) by which pods would verify the API server.
  // Returns the TZif file of a time zone such as "Europe/Berlin", or nullopt. Null: there are none.
  std::function<std::optional<std::string>(std::string_view)> read_time_zone = {};
};

class LocalCluster {
 public:
  // Does nothing before the first RunUntilIdle. `api` and `clock` must outlive the LocalCluster.
  LocalCluster(apiserver::registry::Api& api, const Clock& clock, LocalClusterOptions options = {});
  // Returns a LocalCluster that runs on its own thread until it is destroyed.
  static std::unique_ptr<LocalCluster> Start(apiserver::registry::Api& api, const Clock& clock,
                                             LocalClusterOptions options = {});
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // The functions below are only for a LocalCluster without a thread.

  // Processes all events and all timers that are due at the clock's time.
  void RunUntilIdle();
  // Returns when the next timer is due.
  std::optional<Instant> NextDue() const;

  // Returns the number of entries in each index and queue, as "name=count". Entries that remain
  // when all objects are gone are leaks.
  std::vector<std::string> Sizes() const;

 private:
  class Loop;
  class Thread;

  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Thread> thread_;  // Null unless started. Destroyed before the loop.
};

}  // namespace berth::localcluster
