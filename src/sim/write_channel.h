// WriteChannel takes the scheduler's writes to the API and their answers back, with all that can
// happen on the way: writes are refused, get lost, arrive after their time-out, and so do answers.
//
// A write whose answer does not come is reported as timed out, as a real client would.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "engine/events.h"
#include "sim/api_model.h"

namespace berth::sim {

class WriteChannel {
 public:
  static constexpr Duration kTimeout = Duration::Seconds(30);

  struct Faults {
    unsigned refused = 0;  // In a hundred writes.
    unsigned lost = 0;     // Writes, answers, or both too late; in a hundred.
  };

  WriteChannel(ApiModel& api, Random& random) : api_(api), random_(random) {}

  void Send(const Command& command, const Faults& faults, Instant now);
  // Some write gets a step further: it is carried out, or its end becomes known.
  std::optional<WriteDone> Progress(Instant now);
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
    Command command;
    Fate fate;
    Instant sent;
    std::optional<WriteResult> answer = {};
  };

  bool CanProgress(const Write& write, Instant now) const;
  std::optional<WriteResult> Advance(Write& write, Instant now);

  ApiModel& api_;
  Random& random_;
  std::vector<Write> writes_;
};

}  // namespace berth::sim
