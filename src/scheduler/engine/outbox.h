// Outbox holds the writes that the engine requests, lane by lane, and the coroutines that await
// their results or a point in time; CycleWrites and BackgroundTasks are two ways to await them.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/deque.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/now.h"
#include "base/task.h"
#include "scheduler/engine/events.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::engine {

class Outbox final : public framework::Async {
 public:
  // By the steady clock.
  Instant now() const override { return now_.steady; }
  Instant wall_now() const override { return now_.wall; }
  Now present() const { return now_; }
  // The latest date so far. Unlike wall_now it never goes back, so that what started before it
  // stays so.
  Instant latest_wall() const { return latest_wall_; }

  // Requests a write whose result no coroutine awaits.
  CommandId Post(framework::ApiWrite&& write);
  void Record(framework::RecordEvent event) override { Post(std::move(event)); }
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
  // Issues a write that a scheduling cycle awaits.
  void IssueForCycle(PendingWrite& pending, std::coroutine_handle<> waiter);

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

  static constexpr size_t kLanes = static_cast<size_t>(framework::WriteLane::kEvent) + 1;
  static constexpr size_t kCommandsPerBlock = 64;

  Now now_;
  Instant latest_wall_;
  // Commands are large: std::deque would allocate each on its own.
  using Lane = boost::container::deque<
      Command, void,
      boost::container::deque_options_t<boost::container::block_size<kCommandsPerBlock>>>;

  std::array<Lane, kLanes> waiting_;  // Oldest first, by id.
  std::unordered_map<CommandId, Awaited> awaited_;
  std::unordered_set<CommandId> awaited_by_cycle_;
  uint32_t next_command_ = 0;
  // By time; those of one instant in the order in which they began to wait.
  std::map<Sleeper, std::coroutine_handle<>> sleepers_;
  uint64_t next_sleeper_ = 0;
};

// CycleWrites are the writes that a scheduling cycle awaits. The engine changes nothing until they
// end; no time passes either, so a Sleep ends at once.
class CycleWrites final : public framework::Async {
 public:
  // `outbox` must outlive this.
  explicit CycleWrites(Outbox& outbox) : outbox_(outbox) {}

  Instant now() const override { return outbox_.now(); }
  Instant wall_now() const override { return outbox_.wall_now(); }
  void Record(framework::RecordEvent event) override { outbox_.Record(std::move(event)); }

 private:
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    outbox_.IssueForCycle(pending, waiter);
  }
  void Wake(Duration, std::coroutine_handle<> waiter) override { waiter.resume(); }

  Outbox& outbox_;
};

// BackgroundTasks are tasks of cycles that have ended.
class BackgroundTasks final : public framework::Background {
 public:
  // `outbox` must outlive this.
  explicit BackgroundTasks(Outbox& outbox) : outbox_(outbox) {}

  framework::Async& async() override { return outbox_; }
  void Run(std::string name, Task<framework::Verdict> task) override {
    tasks_.emplace_back(std::move(name), std::move(task));
    tasks_.back().second.Start();
  }
  bool IsRunning(std::string_view name) const override {
    return std::ranges::any_of(
        tasks_, [&](const Named& task) { return task.first == name && !task.second.done(); });
  }
  // Forgets the tasks that have ended.
  void Reap() {
    std::erase_if(tasks_, [](const Named& task) { return task.second.done(); });
  }
  // Tasks that have not ended.
  size_t size() const {
    return static_cast<size_t>(
        std::ranges::count_if(tasks_, [](const Named& task) { return !task.second.done(); }));
  }

 private:
  using Named = std::pair<std::string, Task<framework::Verdict>>;

  Outbox& outbox_;
  std::vector<Named> tasks_;
};

}  // namespace berth::scheduler::engine
