#include "scheduler/engine/outbox.h"

#include <algorithm>

namespace berth::scheduler::engine {

CommandId Outbox::Post(framework::ApiWrite&& write) {
  const CommandId id{next_command_++};
  const auto lane = static_cast<size_t>(framework::LaneOf(write));
  waiting_[lane].emplace_back(id, std::move(write));
  return id;
}

void Outbox::Issue(PendingWrite& pending, std::coroutine_handle<> waiter) {
  const auto* call = std::get_if<framework::CallExtender>(&pending.write);
  if (call != nullptr && call->step != framework::ExtenderStep::kBind)
    return IssueForCycle(pending, waiter);
  awaited_.emplace(Post(std::move(pending.write)), Awaited{&pending, waiter});
}

void Outbox::IssueForCycle(PendingWrite& pending, std::coroutine_handle<> waiter) {
  const CommandId id = Post(std::move(pending.write));
  awaited_by_cycle_.insert(id);
  awaited_.emplace(id, Awaited{&pending, waiter});
}

bool Outbox::Withdraw(framework::WriteLane lane, CommandId id) {
  Lane& waiting = waiting_[static_cast<size_t>(lane)];
  const auto found = std::ranges::lower_bound(waiting, id, {}, &Command::id);
  if (found == waiting.end() || found->id != id) return false;
  waiting.erase(found);
  WriteEnded(id, {});
  return true;
}

std::vector<Command> Outbox::TakeCommands(size_t limit) {
  size_t count = 0;
  for (const Lane& lane : waiting_) count += lane.size();
  std::vector<Command> taken;
  taken.reserve(std::min(limit, count));
  for (Lane& lane : waiting_) {
    for (; taken.size() < limit && !lane.empty(); lane.pop_front())
      taken.push_back(std::move(lane.front()));
  }
  return taken;
}

void Outbox::WriteEnded(CommandId id, framework::WriteResult result) {
  auto found = awaited_.find(id);
  if (found == awaited_.end()) return;  // Not ours, or reported twice.
  const Awaited awaited = found->second;
  awaited_.erase(found);
  awaited_by_cycle_.erase(id);
  awaited.pending->result = std::move(result);
  awaited.waiter.resume();
}

Outbox::Sleeper Outbox::WakeAfter(Duration length, std::coroutine_handle<> waiter) {
  return sleepers_.emplace(Sleeper(now() + length, next_sleeper_++), waiter).first->first;
}

void Outbox::Interrupt(Sleeper sleeper) {
  const auto found = sleepers_.extract(sleeper);
  if (!found.empty()) found.mapped().resume();
}

void Outbox::PassTime(const Now& time) {
  now_ = {std::max(now(), time.steady), time.wall};
  latest_wall_ = std::max(latest_wall_, time.wall);
  while (!sleepers_.empty() && sleepers_.begin()->first.first <= now()) {
    const auto waiter = sleepers_.begin()->second;
    sleepers_.erase(sleepers_.begin());
    waiter.resume();
  }
}

std::optional<Instant> Outbox::next_wake() const {
  if (sleepers_.empty()) return std::nullopt;
  return sleepers_.begin()->first.first;
}

}  // namespace berth::scheduler::engine
