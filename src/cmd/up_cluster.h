// UpCluster is everything that `berth up` runs, in one process: the API server, the world around it
// and the scheduler.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "base/workers.h"
#include "cmd/apiserver_command.h"
#include "cmd/up_command.h"
#include "localcluster/local_cluster.h"
#include "runtime/engine_driver.h"
#include "runtime/extender_calls.h"
#include "runtime/scheduler.h"

namespace berth::cmd {

class UpCluster {
 public:
  // Opens the store, starts what the options ask for and puts in the nodes and objects that they
  // name. The error says which option or file is wrong.
  static Result<std::unique_ptr<UpCluster>> Start(const UpOptions& options,
                                                  const scheduler::framework::Registry& registry);
  ~UpCluster();

  apiserver::registry::Api& api() { return served_.server->api(); }
  apiserver::store::Store& store() { return served_.server->store(); }
  const RunningApiServer& served() const { return served_; }
  const Clock& real_clock() const { return real_clock_; }
  // Where the kubeconfig file is; it goes with the cluster if the user did not say where.
  const std::string& kubeconfig() const { return kubeconfig_; }
  // What the scheduler has done; empty if there is none.
  std::shared_ptr<const runtime::DriverSnapshot> scheduling() const;

  // Ends everything in order; what was acknowledged is kept.
  void Stop();

 private:
  explicit UpCluster(double speed) : clock_(real_clock_, speed) {}
  Status MakeScheduler(const UpOptions& options, const scheduler::framework::Registry& registry);
  Status MakeEmbeddedScheduler(const UpOptions& options, scheduler::engine::EngineOptions engine,
                               const scheduler::framework::Registry& registry);
  Status MakeHttpScheduler(scheduler::engine::EngineOptions engine, int parallelism,
                           const scheduler::framework::Registry& registry);
  Status PlaceKubeconfig(const UpOptions& options);
  Status Fill(const UpOptions& options);

  SystemClock real_clock_;
  ScaledClock clock_;
  std::string kubeconfig_;
  std::string own_directory_;  // Of the kubeconfig, if the user named none: removed at the end.
  // In the order in which they need each other.
  RunningApiServer served_;
  std::unique_ptr<runtime::ExtenderCalls> extenders_;
  std::unique_ptr<ThreadWorkers> workers_;
  std::unique_ptr<localcluster::LocalCluster> local_cluster_;
  // One of them, or none.
  std::unique_ptr<runtime::EngineDriver> driver_;
  std::unique_ptr<runtime::Scheduler> scheduler_;
};

}  // namespace berth::cmd
