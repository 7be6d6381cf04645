#include "daemon/leadership.h"

#include <algorithm>
#include <future>
#include <utility>

#include "observability/log.h"

namespace berth::daemon {

Duration GraceWithin(Duration left, Duration grace_period) {
  return std::clamp(left / 2, Duration{}, grace_period);
}

Leadership::Leadership(runtime::Scheduler& scheduler, net::Executor& executor,
                       LeadershipOptions options)
    : scheduler_(scheduler), executor_(executor), options_(std::move(options)) {}

void Leadership::Elect(client::ElectionLock& lock, const Clock& wall_clock,
                       client::ElectionOptions options, client::ElectionCallbacks callbacks) {
  const auto then = [](std::function<void()> first, std::function<void()> second) {
    return [first = std::move(first), second = std::move(second)] {
      if (first) first();
      second();
    };
  };
  scheduler_.SetLeaseEnd(executor_.Now());  // It has none yet.
  callbacks.on_lease_end = [this](Instant end) {
    scheduler_.SetLeaseEnd(end);
    held_until_ = std::max(held_until_, end);
  };
  callbacks.on_started_leading =
      then(std::move(callbacks.on_started_leading), [this] { OnStartedLeading(); });
  callbacks.on_stopped_leading =
      then(std::move(callbacks.on_stopped_leading), [this] { OnStoppedLeading(); });
  callbacks.on_end_of_term = then(std::move(callbacks.on_end_of_term), [this] { OnEndOfTerm(); });
  elector_ = std::make_unique<client::LeaderElector>(lock, executor_, wall_clock,
                                                     std::move(options), std::move(callbacks));
}

void Leadership::Start() {
  if (elects() && options_.delay_cache_until_active) {
    StartElection();
  } else {
    StartScheduler();
  }
}

void Leadership::StartScheduler() {
  scheduler_.Start([this] {
    LOG_INFO("Handlers synced");
    executor_.Post([this] { OnSynced(); });
  });
}

void Leadership::StartElection() {
  executor_.Dispatch([this] {
    if (ending_) return;
    LOG_INFO("Attempting to acquire leader lease...", {{"lock", elector_->lock_name()}});
    elector_->Run();
  });
}

void Leadership::OnSynced() {
  if (ending_) return;
  if (options_.on_synced) options_.on_synced();
  if (options_.shadow) {
    LOG_INFO("Shadow mode: judging what other schedulers decide, and writing nothing");
  } else if (elects() && options_.delay_cache_until_active) {
    if (leads_) scheduler_.Lead();
  } else if (elects()) {
    StartElection();
  } else {
    leads_ = true;
    scheduler_.Lead();
  }
}

void Leadership::OnStartedLeading() {
  leads_ = true;
  if (scheduler_.synced()) {
    scheduler_.Lead();
  } else {
    StartScheduler();  // Its start was delayed until now.
  }
}

void Leadership::OnStoppedLeading() {
  scheduler_.StopLeading();
  leads_ = false;
  if (ending_) return;
  lost_ = true;
  if (options_.on_lost) options_.on_lost();
}

void Leadership::OnEndOfTerm() {
  scheduler_.StopLeading();
  leads_ = false;
  if (ending_) return;
  lost_ = true;
  if (options_.on_end_of_term) options_.on_end_of_term();
}

void Leadership::Stop(Duration grace_period) {
  scheduler_.StopLeading();
  // First: a lease acquired while the scheduler stops would start it again.
  net::RunAndWait(executor_, [&] {
    ending_ = true;
    if (elects()) elector_->StopAcquiring();
    if (lost_) grace_period = GraceWithin(held_until_ - executor_.Now(), grace_period);
  });
  scheduler_.Stop(grace_period);
  if (!elects()) return;
  std::promise<void> released;
  executor_.Dispatch([&] { elector_->Stop([&] { released.set_value(); }); });
  released.get_future().wait();
  net::RunAndWait(executor_, [this] { elector_.reset(); });
}

}  // namespace berth::daemon
