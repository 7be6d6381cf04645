// UpCluster is everything that `berth up` runs in one process: the API server, the local cluster
// (kubelets and controllers) and the scheduler.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/steady_clock.h"
#include "base/time.h"
#include "base/workers.h"
#include "cmd/apiserver_command.h"
#include "cmd/dashboard_server.h"
#include "cmd/up_command.h"
#include "inspect/change_log.h"
#include "localcluster/local_cluster.h"
#include "observability/metric_registry.h"
#include "observability/scheduling/attempt_recorder.h"
#include "observability/scheduling/scheduler_metrics.h"
#include "runtime/engine_driver.h"
#include "runtime/extender_calls.h"
#include "runtime/scheduler.h"
#include "scheduler/engine/engine.h"
#include "scheduler/model/features.h"

namespace berth::cmd {

class UpCluster {
 public:
  // Opens the store, creates the nodes and objects that the options name, and starts the
  // components. The error names the option or file that is wrong.
  static Result<std::unique_ptr<UpCluster>> Start(const UpOptions& options,
                                                  const scheduler::framework::Registry& registry);
  ~UpCluster();

  apiserver::registry::Api& api() { return served_.server->api(); }
  apiserver::store::Store& store() { return served_.server->store(); }
  const RunningApiServer& served() const { return served_; }
  const Clock& real_clock() const { return real_clock_; }
  // Path of the kubeconfig file; a temporary one, removed by Stop, unless the user set a path.
  const std::string& kubeconfig() const { return kubeconfig_; }
  // Counters of the scheduler; zero if there is none.
  std::shared_ptr<const runtime::DriverSnapshot> scheduling() const;

  // The address of the dashboard; empty if there is none.
  std::string dashboard_url() const { return dashboard_ == nullptr ? "" : dashboard_->url(); }

  // Stops everything in order. Acknowledged writes are durable if there is a data directory.
  void Stop();

 private:
  explicit UpCluster(double speed) : clock_(real_clock_, speed) {}
  Status MakeScheduler(const UpOptions& options, const scheduler::model::Features& features,
                       const scheduler::framework::Registry& registry);
  Status MakeEmbeddedScheduler(const UpOptions& options, scheduler::engine::EngineOptions engine,
                               const scheduler::framework::Registry& registry);
  Status MakeHttpScheduler(scheduler::engine::EngineOptions engine, int parallelism,
                           const scheduler::framework::Registry& registry);
  Status StartDashboard(const UpOptions& options, const scheduler::framework::Registry& registry);
  Status CreateKubeconfig(const UpOptions& options);
  Status Fill(const UpOptions& options);

  SteadyClock real_clock_;
  // The time of the cluster. It begins with the date and then runs evenly: setting the computer's
  // clock moves neither the cluster's intervals nor its timestamps.
  ScaledClock clock_;
  std::string kubeconfig_;
  std::string own_directory_;  // Temporary directory of the kubeconfig, if any.
  // Each depends on the ones above it.
  observability::MetricRegistry metric_registry_;
  observability::scheduling::SchedulerMetrics metrics_{metric_registry_};
  observability::scheduling::EngineMeasurements measurements_{metrics_, &SteadyNanos};
  std::unique_ptr<observability::scheduling::AttemptRecorder> attempts_;  // Null if it is off.
  RunningApiServer served_;
  std::unique_ptr<runtime::ExtenderCalls> extenders_;
  std::unique_ptr<ThreadWorkers> workers_;
  std::unique_ptr<localcluster::LocalCluster> local_cluster_;
  scheduler::engine::EngineOptions engine_options_;  // Of the scheduler.
  inspect::ChangeLog changes_;                       // For the dashboard.
  const SystemClock system_clock_;
  // At most one of them.
  std::unique_ptr<runtime::EngineDriver> driver_;
  std::unique_ptr<runtime::Scheduler> scheduler_;
  std::unique_ptr<DashboardServer> dashboard_;
};

}  // namespace berth::cmd
