// Leadership decides when the scheduler watches and when it schedules: always, or while this
// process holds the lease.
//
// Whenever leadership ends, writing ends first. Stop works in this order: no write is sent and no
// lease acquired any more, the writes in flight end, and only then is the lease released, so that
// no write of this process is in flight when another process leads. The end of a term in a
// coordinated election is such an end, too.
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
  bool shadow = false;                    // The scheduler runs in shadow mode and never leads.
  bool delay_cache_until_active = false;  // Starts the scheduler only when it leads.
  // Called on the executor when all collections have been listed for the first time.
  std::function<void()> on_synced = {};
  // Called on the executor when the lease is lost, unless Stop has begun.
  std::function<void()> on_lost = {};
  // Called on the executor when another candidate must lead, and this process has stopped
  // scheduling for it, unless Stop has begun: call Stop, on another thread.
  std::function<void()> on_end_of_term = {};
};

// Returns how much of `grace_period` the writes in flight get when the lease is not renewed any
// more and `left` is left of it: at most half of that, so that it is released before it expires.
Duration GraceWithin(Duration left, Duration grace_period);

class Leadership {
 public:
  // `scheduler` and `executor` must outlive this. All decisions are made on the executor's thread.
  Leadership(runtime::Scheduler& scheduler, net::Executor& executor, LeadershipOptions options);

  // Leads only while it holds `lock`. Call it before Start. Callbacks run on the executor; all
  // references must outlive this.
  void Elect(client::ElectionLock& lock, const Clock& wall_clock, client::ElectionOptions options,
             client::ElectionCallbacks callbacks);
  bool elects() const { return elector_ != nullptr; }

  // The executor must run after this call.
  void Start();
  // Stops everything, with `grace_period` for the scheduler's writes, or less at the end of a term.
  // Call it once, and not on the executor's thread if there is an election.
  void Stop(Duration grace_period);

  // May be called on any thread.
  bool leads() const { return leads_; }
  bool lost() const { return lost_; }      // The lease was lost, or the term has ended.
  bool ending() const { return ending_; }  // Stop has begun.

 private:
  void StartScheduler();
  void StartElection();
  void OnSynced();
  void OnStartedLeading();
  void OnStoppedLeading();
  void OnEndOfTerm();

  runtime::Scheduler& scheduler_;
  net::Executor& executor_;
  const LeadershipOptions options_;
  std::unique_ptr<client::LeaderElector> elector_;  // Null: leads without a lease.
  Instant held_until_;  // The end of the lease when it was last renewed; on the executor's thread.
  // Written on the executor's thread.
  std::atomic<bool> leads_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> ending_ = false;
};

}  // namespace berth::daemon
