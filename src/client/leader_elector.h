// LeaderElector is a participant in a leader election: the leader is the candidate that the lock
// names as its holder, as long as it renews the lock.
//
// Whether another's lease has expired is decided by our own clock, from when its record was last
// observed to change; the times in the record are informative. Runs on one executor's thread,
// callbacks included. A loss is final: to campaign again, create another elector.
//
// In a coordinated election (feature gate CoordinatedLeaderElection) a controller of the API server
// chooses the leader among the LeaseCandidates and writes the lock. The elector then never creates
// or takes over the lock: it renews one that names it, until a preferred holder is set.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "client/election_log.h"
#include "net/executor.h"

namespace berth::client {

struct LeaderRecord {
  std::string holder;  // Empty: none.
  int lease_duration_seconds = 0;
  Instant acquire_time;  // Zero: none, as a controller writes it.
  Instant renew_time;
  int transitions = 0;
  // Of coordinated elections.
  std::string strategy = {};
  std::string preferred_holder = {};  // The holder must give up the lock to this candidate.

  friend bool operator==(const LeaderRecord&, const LeaderRecord&) = default;
};

struct LockFailure {
  bool not_found = false;
  std::string message;
};

// ElectionLock is the record on a server that names the leader. One operation at a time.
class ElectionLock {
 public:
  using Read = std::function<void(std::expected<LeaderRecord, LockFailure>)>;
  using Written = std::function<void(std::expected<void, LockFailure>)>;

  virtual ~ElectionLock() = default;
  virtual void Get(Read read) = 0;
  virtual void Create(const LeaderRecord& record, Written written) = 0;
  // Writes `record`. Fails if the record changed since the last Get, Create or Update.
  virtual void Update(const LeaderRecord& record, Written written) = 0;
  // Cancels the current operation; its callback need not be called.
  virtual void Cancel() = 0;
  virtual std::string name() const = 0;  // "kube-system/kube-scheduler"
};

struct ElectionOptions {
  std::string identity;  // Ours: "<hostname>_<uuid>".
  Duration lease_duration = Duration::Seconds(15);
  Duration renew_deadline = Duration::Seconds(10);
  Duration retry_period = Duration::Seconds(2);
  uint64_t seed = 0;  // Of the jitter; different for each candidate.
  bool coordinated = false;
};

// All may be empty.
struct ElectionCallbacks {
  std::function<void()> on_started_leading = {};
  std::function<void()> on_stopped_leading = {};  // Only if it had started.
  // The lock was not renewed because there is a preferred holder. The owner must end its work and
  // call Stop, which releases the lock. Without this callback it is not released.
  std::function<void()> on_end_of_term = {};
  // The lease is held until `end` of the executor's clock, as the other candidates count it. Called
  // after each renewal, and with the present as soon as the lease is found or given up: first of
  // all, so that nothing that needs the lease happens any more.
  std::function<void(Instant end)> on_lease_end = {};
  std::function<void(const std::string& identity)> on_new_leader = {};
  // For an event about the lock: "<identity> became leader", "<identity> stopped leading".
  std::function<void(const std::string& message)> on_event = {};
  // The leader had to read the lock because the optimistic write failed.
  std::function<void()> on_slow_path = {};
  ElectionLog on_log = {};
};

class LeaderElector {
 public:
  // All references must outlive the elector.
  LeaderElector(ElectionLock& lock, net::Executor& executor, const Clock& wall_clock,
                ElectionOptions options, ElectionCallbacks callbacks);
  ~LeaderElector();  // Leaves the lock unchanged.
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  // Tries to become the leader until it succeeds or is stopped. Called once.
  void Run();
  // Stops trying to become the leader; a leader continues to renew. Run does nothing afterwards.
  void StopAcquiring();
  // Ends the election. A leader releases the lock, trying for up to renew_deadline, and then stops
  // leading; its work must have ended before. `done` is called last.
  void Stop(std::function<void()> done);

  std::string lock_name() const { return lock_.name(); }
  bool is_leading() const { return state_ == State::kLeading || state_ == State::kReleasing; }
  // Returns the last observed leader; empty if there is none.
  const std::string& leader() const { return observed_.holder; }

 private:
  enum class State { kIdle, kAcquiring, kLeading, kReleasing, kOver };
  using Done = std::function<void(bool acquired)>;

  bool HoldsIt() const { return observed_.holder == options_.identity; }
  bool IsValid(Instant now) const;
  void Observe(const LeaderRecord& record);
  // The lock was written by a request that was sent at `sent`.
  void Held(const LeaderRecord& record, Instant sent);
  void LeaseEnds(Instant end);
  LeaderRecord OwnRecord() const;

  void Attempt(Done done);
  void SlowPath(Done done);
  void CoordinatedRenew(Done done);
  void RenewAssigned(const LeaderRecord& old, Done done);
  // A record was read: observes it, if it changed.
  void OnRead(const LeaderRecord& record);
  void TakeOver(const LeaderRecord& old, Done done);
  void Put(const LeaderRecord& record, bool create, std::string_view failure, Done done);
  void ReportLeader();

  void Acquire();
  void Lead();
  void RenewRound();
  void Renew();
  void Lose();
  void Release(std::function<void()> done);
  void End(std::function<void()> done);

  void Event(const char* what);
  void Log(const ElectionLogLine& line);
  void LogError(std::string_view message, const LockFailure& failure);
  // Cancels timers and the operation of the lock.
  void Abandon();
  // Returns `work` as a callback that does nothing after the next Abandon.
  template <typename Work>
  auto Guarded(Work work);

  ElectionLock& lock_;
  net::Executor& executor_;
  const Clock& wall_clock_;
  const ElectionOptions options_;
  const ElectionCallbacks callbacks_;
  Random random_;
  State state_ = State::kIdle;
  LeaderRecord observed_;
  Instant observed_at_;
  Instant held_until_;  // As of our last successful renewal.
  std::optional<LeaderRecord> last_read_;
  std::string reported_;
  bool end_of_term_ = false;  // As of the last record: it is ours, but another is preferred.
  net::Executor::TimerId next_ = 0;
  net::Executor::TimerId deadline_ = 0;
  std::shared_ptr<int> current_;  // Replaced by Abandon.
};

}  // namespace berth::client
