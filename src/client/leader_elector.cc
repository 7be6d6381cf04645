#include "client/leader_elector.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::client {
namespace {

// Candidates add up to this many retry periods to their wait, so that they do not act in step.
constexpr double kJitter = 1.2;
constexpr uint64_t kJitterSteps = 1'000'000;
// Short, so that the next candidate does not wait.
constexpr int kReleasedSeconds = 1;

void Call(const std::function<void()>& callback) {
  if (callback) callback();
}

}  // namespace

LeaderElector::LeaderElector(ElectionLock& lock, net::Executor& executor, const Clock& wall_clock,
                             ElectionOptions options, ElectionCallbacks callbacks)
    : lock_(lock),
      executor_(executor),
      wall_clock_(wall_clock),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      random_(options_.seed),
      current_(std::make_shared<int>()) {}

LeaderElector::~LeaderElector() { Abandon(); }

template <typename Work>
auto LeaderElector::Guarded(Work work) {
  return [current = std::weak_ptr(current_),
          work = std::move(work)]<typename... Args>(Args&&... args) mutable {
    if (!current.expired()) work(std::forward<Args>(args)...);
  };
}

void LeaderElector::Abandon() {
  current_ = std::make_shared<int>();
  executor_.Cancel(std::exchange(next_, 0));
  executor_.Cancel(std::exchange(deadline_, 0));
  lock_.Cancel();
}

void LeaderElector::Event(const char* what) {
  if (callbacks_.on_event) callbacks_.on_event(options_.identity + " " + what);
}

void LeaderElector::Log(const ElectionLogLine& line) {
  if (callbacks_.on_log) callbacks_.on_log(line);
}

void LeaderElector::LogError(std::string_view message, const LockFailure& failure) {
  Log({.level = ElectionLogLine::kError, .message = message, .error = failure.message});
}

bool LeaderElector::IsValid(Instant now) const {
  return observed_at_ + Duration::Seconds(observed_.lease_duration_seconds) > now;
}

void LeaderElector::Observe(const LeaderRecord& record) {
  observed_ = record;
  observed_at_ = executor_.Now();
}

// Another candidate counts from when it sees our record, which is after we sent it.
void LeaderElector::Held(const LeaderRecord& record, Instant sent) {
  Observe(record);
  held_until_ = sent + options_.lease_duration;
  LeaseEnds(held_until_);
}

void LeaderElector::LeaseEnds(Instant end) {
  if (callbacks_.on_lease_end) callbacks_.on_lease_end(end);
}

LeaderRecord LeaderElector::OwnRecord() const {
  const Instant now = wall_clock_.Now();
  return {.holder = options_.identity,
          .lease_duration_seconds = static_cast<int>(options_.lease_duration.seconds()),
          .acquire_time = now,
          .renew_time = now,
          .transitions = 0};
}

// --- one attempt to acquire or renew the lock ---

void LeaderElector::Attempt(Done done) {
  if (options_.coordinated) return CoordinatedRenew(std::move(done));
  if (!HoldsIt() || !IsValid(executor_.Now())) return SlowPath(std::move(done));
  // Most likely the record has not changed since the last write.
  LeaderRecord record = OwnRecord();
  record.acquire_time = observed_.acquire_time;
  record.transitions = observed_.transitions;
  lock_.Update(record, Guarded([this, record, sent = executor_.Now(), done = std::move(done)](
                                   std::expected<void, LockFailure> result) mutable {
                 if (result) {
                   Held(record, sent);
                   return done(true);
                 }
                 Log({.level = 2,
                      .message = "Failed to update lease optimistically, falling back to slow path",
                      .error = result.error().message});
                 SlowPath(std::move(done));
               }));
}

void LeaderElector::SlowPath(Done done) {
  lock_.Get(Guarded(
      [this, done = std::move(done)](std::expected<LeaderRecord, LockFailure> result) mutable {
        if (result) return TakeOver(*result, std::move(done));
        if (result.error().not_found) {
          return Put(OwnRecord(), true, "Error initially creating lease lock", std::move(done));
        }
        LogError("Error retrieving lease lock", result.error());
        done(false);
      }));
}

void LeaderElector::OnRead(const LeaderRecord& record) {
  if (state_ == State::kLeading && record.holder != options_.identity) LeaseEnds(executor_.Now());
  if (last_read_ == record) return;
  last_read_ = record;
  Observe(record);
}

void LeaderElector::TakeOver(const LeaderRecord& old, Done done) {
  OnRead(old);
  if (!old.holder.empty() && !HoldsIt() && IsValid(executor_.Now())) {
    Log({.level = 4, .message = "Lease is held by and has not yet expired", .holder = old.holder});
    return done(false);
  }
  LeaderRecord record = OwnRecord();
  record.transitions = old.transitions;
  if (HoldsIt()) {
    record.acquire_time = old.acquire_time;
    Call(callbacks_.on_slow_path);
  } else {
    record.transitions += 1;
  }
  Put(record, false, "Failed to update lease", std::move(done));
}

void LeaderElector::CoordinatedRenew(Done done) {
  lock_.Get(Guarded(
      [this, done = std::move(done)](std::expected<LeaderRecord, LockFailure> result) mutable {
        if (result) return RenewAssigned(*result, std::move(done));
        if (result.error().not_found) {
          Log({.message = "Lease lock not found", .error = result.error().message});
        } else {
          LogError("Error retrieving lease lock", result.error());
        }
        done(false);
      }));
}

void LeaderElector::RenewAssigned(const LeaderRecord& old, Done done) {
  OnRead(old);
  end_of_term_ = false;
  if (observed_at_ + Duration::Seconds(old.lease_duration_seconds) < executor_.Now()) {
    Log({.message = "Lease has expired"});
    return done(false);
  }
  if (!HoldsIt()) {
    Log({.level = 6, .message = "Lease is held and has not yet expired", .holder = old.holder});
    return done(false);
  }
  // The preferred holder is elected when we have released the lock, or it has expired.
  end_of_term_ = !old.preferred_holder.empty();
  if (end_of_term_) {
    Log({.level = 4, .message = "Lease is marked as 'end of term'"});
    return done(false);
  }
  LeaderRecord record = OwnRecord();
  record.acquire_time = old.acquire_time;
  record.transitions = old.transitions;
  record.strategy = old.strategy;
  Call(callbacks_.on_slow_path);
  Put(record, false, "Failed to update lock", std::move(done));
}

// `failure` is what is logged if the lock cannot be written.
void LeaderElector::Put(const LeaderRecord& record, bool create, std::string_view failure,
                        Done done) {
  auto written = Guarded([this, record, failure, sent = executor_.Now(),
                          done = std::move(done)](std::expected<void, LockFailure> result) {
    if (result) {
      Held(record, sent);
    } else {
      LogError(failure, result.error());
    }
    done(result.has_value());
  });
  if (create) {
    lock_.Create(record, std::move(written));
  } else {
    lock_.Update(record, std::move(written));
  }
}

void LeaderElector::ReportLeader() {
  if (reported_ == observed_.holder) return;
  reported_ = observed_.holder;
  if (callbacks_.on_new_leader) callbacks_.on_new_leader(reported_);
}

// --- the election ---

void LeaderElector::Run() {
  if (state_ == State::kOver) return;
  CHECK(state_ == State::kIdle);
  state_ = State::kAcquiring;
  Acquire();
}

void LeaderElector::Acquire() {
  Attempt([this](bool acquired) {
    const auto current = std::weak_ptr(current_);
    ReportLeader();
    if (current.expired()) return;  // The callback stopped the elector.
    if (acquired) return Lead();
    Log({.level = 4, .message = "Failed to acquire lease"});
    const double part = static_cast<double>(random_.Below(kJitterSteps)) / kJitterSteps;
    const Duration wait = options_.retry_period * (1 + kJitter * part);
    next_ = executor_.After(wait, Guarded([this] { Acquire(); }));
  });
}

void LeaderElector::Lead() {
  state_ = State::kLeading;
  Event("became leader");
  const auto current = std::weak_ptr(current_);
  Call(callbacks_.on_started_leading);
  if (!current.expired()) RenewRound();
}

// Retries until one renewal succeeds, or the deadline passes. DIFFERS: once the lease has ended,
// because the process was stopped meanwhile, there is one attempt, and a retry period for it:
// another candidate may lead already. kube-scheduler retries for a whole deadline.
void LeaderElector::RenewRound() {
  const Duration held = std::max(held_until_ - executor_.Now(), options_.retry_period);
  deadline_ = executor_.After(std::min(held, options_.renew_deadline), Guarded([this] { Lose(); }));
  Renew();
}

void LeaderElector::Renew() {
  const Instant begun = executor_.Now();
  Attempt([this, begun](bool renewed) {
    const auto current = std::weak_ptr(current_);
    ReportLeader();
    if (current.expired()) return;
    if (renewed) {
      Log({.level = 5, .message = "Successfully renewed lease"});
      executor_.Cancel(std::exchange(deadline_, 0));
      next_ = executor_.After(options_.retry_period, Guarded([this] { RenewRound(); }));
      return;
    }
    if (executor_.Now() >= held_until_) return Lose();
    const Duration spent = executor_.Now() - begun;
    const Duration left = std::max(options_.retry_period - spent, Duration{});
    next_ = executor_.After(left, Guarded([this] { Renew(); }));
  });
}

void LeaderElector::Lose() {
  LeaseEnds(executor_.Now());
  Abandon();
  Log({.message = "Failed to renew lease", .error = "context deadline exceeded"});
  if (end_of_term_ && callbacks_.on_end_of_term) return callbacks_.on_end_of_term();
  Event("stopped leading");
  End({});
}

void LeaderElector::StopAcquiring() {
  if (state_ == State::kLeading || state_ == State::kReleasing) return;
  Abandon();
  state_ = State::kOver;
}

void LeaderElector::Stop(std::function<void()> done) {
  if (state_ != State::kLeading) {
    Abandon();
    state_ = State::kOver;
    return Call(done);
  }
  Abandon();
  state_ = State::kReleasing;
  Release(std::move(done));
}

void LeaderElector::Release(std::function<void()> done) {
  LeaseEnds(executor_.Now());
  Event("stopped leading");
  const auto end = [this, done = std::move(done)] { End(done); };
  deadline_ = executor_.After(options_.renew_deadline, Guarded(end));
  // The last observed record may predate a write of ours whose response never arrived.
  lock_.Get(Guarded([this, end](std::expected<LeaderRecord, LockFailure> result) {
    if (!result && result.error().not_found) {
      Log({.message = "lease lock not found"});
    } else if (!result) {
      LogError("error retrieving resource lock", result.error());
    }
    if (!result || result->holder != options_.identity) return end();
    LeaderRecord record = OwnRecord();
    record.holder.clear();
    record.lease_duration_seconds = kReleasedSeconds;
    record.transitions = result->transitions;
    lock_.Update(record, Guarded([this, record, end](std::expected<void, LockFailure> written) {
                   if (written) {
                     Observe(record);
                   } else {
                     LogError("Failed to release lease", written.error());
                   }
                   end();
                 }));
  }));
}

// Both callbacks are copies: the first may destroy the elector.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void LeaderElector::End(std::function<void()> done) {
  Abandon();
  state_ = State::kOver;
  const auto stopped = callbacks_.on_stopped_leading;
  Call(stopped);
  Call(done);
}

}  // namespace berth::client
