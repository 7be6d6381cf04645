// Outbox holds the writes that the engine requests, lane by lane, and the coroutines that await
// their results or a point in time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/now.h"
#include "scheduler/engine/events.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::engine {

class Outbox final : public framework::Async {
 public:
  // By the steady clock.
  Instant now() const override { return now_.steady; }
  // The date, for times in writes.
  Instant wall_now() const { return now_.wall; }
  // The latest date so far. Unlike wall_now it never goes back, so that what started before it
  // stays so.
  Instant latest_wall() const { return latest_wall_; }

  // Requests a write whose result no coroutine awaits.
  CommandId Post(framework::ApiWrite write);
  // Withdraws a write of `lane` that was not taken; a coroutine that awaits it is resumed with
  // success. Returns false if it is too late.
  bool Withdraw(framework::WriteLane lane, CommandId id);

  // Reports whether a scheduling cycle awaits the write.
  bool CycleWaitsFor(CommandId id) const { return awaited_by_cycle_.contains(id); }

  // Removes and returns up to `limit` commands: the most urgent lane first, and in it the oldest.
  std::vector<Command> TakeCommands(size_t limit);
  // Resumes the coroutine that awaits the write, if any.
  void WriteEnded(CommandId id, framework::WriteResult result);
  // Advances the time to `time` and resumes, in order, the coroutines that wait for a time up to
  // it.
  void PassTime(const Now& time);
  // When the next coroutine is to be resumed.
  std::optional<Instant> next_wake() const;

  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override;

  // A coroutine that waits for a time.
  using Sleeper = std::pair<Instant, uint64_t>;
  Sleeper WakeAfter(Duration length, std::coroutine_handle<> waiter);
  // Resumes the coroutine at once if it still waits.
  void Interrupt(Sleeper sleeper);
  void Wake(Duration length, std::coroutine_handle<> waiter) override { WakeAfter(length, waiter); }

 private:
  struct Awaited {
    PendingWrite* pending;
    std::coroutine_handle<> waiter;
  };

  Now now_;
  Instant latest_wall_;
  std::map<std::pair<framework::WriteLane, CommandId>, framework::ApiWrite> waiting_;
  std::unordered_map<CommandId, Awaited> awaited_;
  std::unordered_set<CommandId> awaited_by_cycle_;
  uint32_t next_command_ = 0;
  // By time; those of one instant in the order in which they began to wait.
  std::map<Sleeper, std::coroutine_handle<>> sleepers_;
  uint64_t next_sleeper_ = 0;
};

}  // namespace berth::scheduler::engine
