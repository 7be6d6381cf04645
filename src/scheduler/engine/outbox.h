// Outbox holds what the engine wants written, lane by lane, and what its coroutines wait for: the
// ends of their writes, and the times they want to be woken at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scheduler/engine/events.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::engine {

class Outbox final : public framework::Async {
 public:
  Instant now() const override { return now_; }

  // Asks for a write whose end nobody waits for.
  CommandId Post(framework::ApiWrite write);
  // Takes back a write of `lane` that has not been handed out; whoever waits for it is resumed with
  // success. False if it is too late.
  bool Withdraw(framework::WriteLane lane, CommandId id);

  // True if a scheduling cycle waits for the write.
  bool CycleWaitsFor(CommandId id) const { return awaited_by_cycle_.contains(id); }

  // Hands out up to `limit` commands: the most urgent lane first, and in it the oldest.
  std::vector<Command> TakeCommands(size_t limit);
  // Resumes whoever waits for the write; does nothing if nobody does.
  void WriteEnded(CommandId id, framework::WriteResult result);
  // Moves time on to `now` and resumes, in order, those that wait for a time up to it.
  void PassTime(Instant now);
  // When the next sleeper wants to be woken.
  std::optional<Instant> next_wake() const;

  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override;
  void Wake(Duration length, std::coroutine_handle<> waiter) override;

 private:
  struct Awaited {
    PendingWrite* pending;
    std::coroutine_handle<> waiter;
  };

  Instant now_;
  std::map<std::pair<framework::WriteLane, CommandId>, framework::ApiWrite> waiting_;
  std::unordered_map<CommandId, Awaited> awaited_;
  std::unordered_set<CommandId> awaited_by_cycle_;
  uint32_t next_command_ = 0;
  // By when they go on; those of one instant in the order in which they began to wait.
  std::map<std::pair<Instant, uint64_t>, std::coroutine_handle<>> sleepers_;
  uint64_t next_sleeper_ = 0;
};

}  // namespace berth::scheduler::engine
