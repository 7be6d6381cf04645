// Outbox holds what the engine's coroutines wait for: the writes they asked for, until their ends
// are reported, and the times they want to be woken at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/events.h"
#include "framework/async.h"

namespace berth {

class Outbox final : public Async {
 public:
  Instant now() const override { return now_; }

  // The commands asked for since the last call, oldest first.
  std::vector<Command> TakeCommands() { return std::exchange(commands_, {}); }
  // Resumes whoever waits for the write; does nothing if nobody does.
  void WriteEnded(CommandId id, WriteResult result);
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
  std::vector<Command> commands_;
  std::unordered_map<CommandId, Awaited> awaited_;
  uint32_t next_command_ = 0;
  // By when they go on; those of one instant in the order in which they began to wait.
  std::map<std::pair<Instant, uint64_t>, std::coroutine_handle<>> sleepers_;
  uint64_t next_sleeper_ = 0;
};

}  // namespace berth
