// Watch is how a scheduler hears of changes: in order for each object, in any order across objects,
// late, and sometimes twice.
//
// It also knows what the scheduler has been told so far, which is all that it can know.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "scheduler/engine/events.h"
#include "simulation/api_model.h"

namespace berth::simulation {

class Watch {
 public:
  void Append(const Change& change) { pending_[IdOf(change.object)].push_back(change); }

  bool idle() const { return pending_.empty(); }
  // Tells the next change of some object. There must be one.
  scheduler::engine::Event Next(Random& random);
  // Tells again what some object was last said to look like; nothing if none is known.
  std::optional<scheduler::engine::Event> Again(Random& random);

  // The connection was lost and everything is listed anew: each live object is told again, each
  // known one that went meanwhile as gone.
  std::vector<scheduler::engine::Event> Relist();
  // A new scheduler lists everything. Some of it is not the latest: the rest follows by Next.
  std::vector<scheduler::engine::Event> FirstList(Random& random);

  // Objects as the scheduler was told last.
  const std::map<ObjectId, api::Object>& told() const { return delivered_; }
  template <typename T>
  api::Ref<T> Delivered(const api::ObjectKey& key) const {
    const auto found = delivered_.find(IdOf<T>(key));
    return found == delivered_.end() ? nullptr : As<T>(found->second);
  }

 private:
  using Pending = std::map<ObjectId, std::deque<Change>>;

  scheduler::engine::Event Deliver(const Change& change);

  Pending pending_;  // None is empty.
  std::map<ObjectId, api::Object> delivered_;
};

// WriteChannel takes the scheduler's writes to the API and their answers back, with all that can
// happen on the way: writes are refused, get lost, arrive after their time-out, and so do answers.
//
// A write whose answer does not come is reported as timed out, as a real client would.
class WriteChannel {
 public:
  static constexpr Duration kTimeout = Duration::Seconds(30);

  struct Faults {
    unsigned refused = 0;  // In a hundred writes.
    unsigned lost = 0;     // Writes, answers, or both too late; in a hundred.
  };

  WriteChannel(ApiModel& api, Random& random) : api_(api), random_(random) {}

  void Send(const scheduler::engine::Command& command, const Faults& faults, Instant now);
  // Some write gets a step further: it is carried out, or its end becomes known.
  std::optional<scheduler::engine::WriteDone> Progress(Instant now);
  // The scheduler died. Its writes may still arrive; no one waits for their ends.
  void Orphan();

  // Nothing is under way that can get further now.
  bool idle(Instant now) const;
  // When the next write times out, if one will.
  std::optional<Instant> next_timeout() const;
  size_t size() const { return writes_.size(); }

 private:
  enum class Fate {
    kArrives,
    kRefused,     // Is not carried out, and the answer says why.
    kLost,        // Is not carried out.
    kAnswerLost,  // Is carried out.
    kLate,        // Is carried out after the scheduler has given it up.
    kOrphan,      // Is carried out, and no one cares.
  };
  struct Write {
    scheduler::engine::Command command;
    Fate fate;
    Instant sent;
    std::optional<scheduler::framework::WriteResult> answer = {};
  };

  bool CanProgress(const Write& write, Instant now) const;
  std::optional<scheduler::framework::WriteResult> Advance(Write& write, Instant now);

  ApiModel& api_;
  Random& random_;
  std::vector<Write> writes_;
};

}  // namespace berth::simulation
