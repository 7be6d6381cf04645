// Leadership decides when the scheduler watches and when it schedules: from the start, or while
// this process holds the lease.
//
// At the end, in this order: no lease is acquired any more, the scheduler stops, and only then is
// the lease released, so that no write of this process is in flight when another one leads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/time.h"
#include "client/leader_elector.h"
#include "net/executor.h"
#include "runtime/scheduler.h"

namespace berth::daemon {

struct LeadershipOptions {
  bool shadow = false;                    // The scheduler only judges: it never leads.
  bool delay_cache_until_active = false;  // Starts the scheduler when it leads, not before.
  // Called on the executor when the lease is lost, unless Stop has begun.
  std::function<void()> on_lost = {};
};

class Leadership {
 public:
  // `scheduler` and `executor` must outlive it. All decisions are made on the executor's thread.
  Leadership(runtime::Scheduler& scheduler, net::Executor& executor, LeadershipOptions options);

  // Leads only while it holds `lock`. Callbacks come on the executor. Before Start; all references
  // must outlive it.
  void Elect(client::ElectionLock& lock, const Clock& wall_clock, client::ElectionOptions options,
             client::ElectionCallbacks callbacks);
  bool elects() const { return elector_ != nullptr; }

  // The executor must run from here on.
  void Start();
  // Ends everything, giving the scheduler's writes `grace_period`. Once, not on the executor's
  // thread if there is an election.
  void Stop(Duration grace_period);

  // From any thread.
  bool leads() const { return leads_; }
  bool lost() const { return lost_; }      // The lease.
  bool ending() const { return ending_; }  // Stop has begun.

 private:
  void StartScheduler();
  void StartElection();
  void OnSynced();
  void OnStartedLeading();
  void OnStoppedLeading();

  runtime::Scheduler& scheduler_;
  net::Executor& executor_;
  const LeadershipOptions options_;
  std::unique_ptr<client::LeaderElector> elector_;  // Null: leads without a lease.
  // Written on the executor's thread.
  std::atomic<bool> leads_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> ending_ = false;
};

}  // namespace berth::daemon
