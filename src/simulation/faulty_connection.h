// The unreliable connection between a scheduler and the API: Watch delivers changes, WriteChannel
// transports writes and their results.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "scheduler/engine/events.h"
#include "simulation/api_model.h"

namespace berth::simulation {

// Watch delivers changes in order for each object, in any order across objects, late and sometimes
// twice. It also records what was delivered, which is all that the scheduler can know.
class Watch {
 public:
  void Append(const Change& change) { pending_[IdOf(change.object)].push_back(change); }

  bool idle() const { return pending_.empty(); }
  // Delivers the next change of some object. There must be one.
  scheduler::engine::Event Next(Random& random);
  // Delivers the last delivered state of some object again; nullopt if there is none.
  std::optional<scheduler::engine::Event> Redeliver(Random& random);

  // Reconnects: delivers every live object, and a deletion for each known one that was deleted
  // meanwhile.
  std::vector<scheduler::engine::Event> Relist();
  // Lists all objects for a new scheduler. Some are stale: their changes follow by Next.
  std::vector<scheduler::engine::Event> InitialList(Random& random);

  // Returns the objects as they were last delivered.
  const std::map<ObjectId, api::Object>& delivered() const { return delivered_; }
  template <typename T>
  api::Ref<T> Delivered(const api::ObjectKey& key) const {
    const auto found = delivered_.find(IdOf<T>(key));
    return found == delivered_.end() ? nullptr : As<T>(found->second);
  }

 private:
  using Pending = std::map<ObjectId, std::deque<Change>>;

  scheduler::engine::Event Deliver(const Change& change);

  Pending pending_;  // Without empty queues.
  std::map<ObjectId, api::Object> delivered_;
};

// WriteChannel transports the scheduler's writes to the API and the results back. Writes are
// refused, lost or executed after their timeout, and results get lost.
//
// A write without a result is reported as timed out, as a real client does.
class WriteChannel {
 public:
  static constexpr Duration kTimeout = Duration::Seconds(30);

  struct Faults {
    unsigned refused = 0;  // Percentage of refused writes.
    unsigned lost = 0;     // Percentage of writes that are lost or late, or whose result is lost.
  };

  WriteChannel(ApiModel& api, Random& random) : api_(api), random_(random) {}

  void Send(const scheduler::engine::Command& command, const Faults& faults, Instant now);
  // Advances some write by one step: it is executed, or its result is returned.
  std::optional<scheduler::engine::WriteDone> Progress(Instant now);
  // Disconnects the scheduler that sent the pending writes. They may still be executed; their
  // results are dropped.
  void Orphan();

  // The scheduler that sent the pending writes has lost its lease. The writes in flight are
  // executed or lost before another one leads; those that are queued are never sent. Returns the
  // results that the loser still gets. With `sends_on`, a planted bug, the queued ones are sent
  // later.
  std::vector<scheduler::engine::WriteDone> EndTerm(Instant now, bool sends_on);
  // How many writes of a scheduler were executed after its lease had ended.
  size_t late_writes() const { return late_writes_; }

  // Reports that no write can advance at this time.
  bool idle(Instant now) const;
  // Returns when the next write times out, if any.
  std::optional<Instant> next_timeout() const;
  size_t size() const { return writes_.size(); }

 private:
  enum class Fate {
    kArrives,
    kRefused,     // Not executed; the result has an error.
    kLost,        // Not executed.
    kResultLost,  // Executed, but the result is lost.
    kLate,        // Executed after its timeout.
    kOrphan,      // Executed; the scheduler that sent it is gone.
  };
  struct Write {
    scheduler::engine::Command command;
    Fate fate;
    Instant sent;
    std::optional<scheduler::framework::WriteResult> result = {};  // Once executed.
    bool term_ended = false;  // The lease of its sender has ended.
  };

  bool CanProgress(const Write& write, Instant now) const;
  std::optional<scheduler::framework::WriteResult> Advance(Write& write, Instant now);

  ApiModel& api_;
  Random& random_;
  std::vector<Write> writes_;
  size_t late_writes_ = 0;
};

}  // namespace berth::simulation
