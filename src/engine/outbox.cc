#include "engine/outbox.h"

#include <algorithm>

namespace berth {

void Outbox::Issue(PendingWrite& pending, std::coroutine_handle<> waiter) {
  const CommandId id{next_command_++};
  commands_.push_back({id, std::move(pending.write)});
  awaited_.emplace(id, Awaited{&pending, waiter});
}

void Outbox::WriteEnded(CommandId id, WriteResult result) {
  auto found = awaited_.find(id);
  if (found == awaited_.end()) return;  // Not ours, or reported twice.
  const Awaited awaited = found->second;
  awaited_.erase(found);
  awaited.pending->result = std::move(result);
  awaited.waiter.resume();
}

void Outbox::Wake(Duration length, std::coroutine_handle<> waiter) {
  sleepers_.emplace(std::pair(now_ + length, next_sleeper_++), waiter);
}

void Outbox::PassTime(Instant now) {
  now_ = std::max(now_, now);
  while (!sleepers_.empty() && sleepers_.begin()->first.first <= now_) {
    const auto waiter = sleepers_.begin()->second;
    sleepers_.erase(sleepers_.begin());
    waiter.resume();
  }
}

std::optional<Instant> Outbox::next_wake() const {
  if (sleepers_.empty()) return std::nullopt;
  return sleepers_.begin()->first.first;
}

}  // namespace berth
