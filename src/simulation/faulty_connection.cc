#include "simulation/faulty_connection.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::simulation {
namespace {

template <typename Map>
auto Any(Map& map, Random& random) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(random.Below(map.size())));
}

}  // namespace

scheduler::engine::Event Watch::Deliver(const Change& change) {
  const ObjectId id = IdOf(change.object);
  if (change.deleted) {
    delivered_.erase(id);
    return scheduler::engine::ObjectDeleted{change.object};
  }
  delivered_.insert_or_assign(id, change.object);
  return scheduler::engine::ObjectPut{change.object};
}

scheduler::engine::Event Watch::Next(Random& random) {
  const auto object = Any(pending_, random);
  const Change change = std::move(object->second.front());
  object->second.pop_front();
  if (object->second.empty()) pending_.erase(object);
  return Deliver(change);
}

std::optional<scheduler::engine::Event> Watch::Redeliver(Random& random) {
  if (delivered_.empty()) return std::nullopt;
  return scheduler::engine::ObjectPut{Any(delivered_, random)->second};
}

std::vector<scheduler::engine::Event> Watch::Relist() {
  std::vector<scheduler::engine::Event> events;
  for (const auto& [id, changes] : std::exchange(pending_, {})) {
    const auto known = delivered_.find(id);
    if (!changes.back().deleted) {
      delivered_.insert_or_assign(id, changes.back().object);
    } else if (known != delivered_.end()) {
      events.emplace_back(scheduler::engine::ObjectDeleted{known->second});
      delivered_.erase(known);
    }
  }
  for (const auto& [id, object] : delivered_)
    events.emplace_back(scheduler::engine::ObjectPut{object});
  return events;
}

std::vector<scheduler::engine::Event> Watch::InitialList(Random& random) {
  for (auto object = pending_.begin(); object != pending_.end();) {
    if (random.Chance(30)) {
      ++object;  // Stale.
    } else {
      Deliver(object->second.back());
      object = pending_.erase(object);
    }
  }
  std::vector<scheduler::engine::Event> events;
  for (const auto& [id, object] : delivered_)
    events.emplace_back(scheduler::engine::ObjectPut{object});
  return events;
}

namespace {

using Kind = scheduler::framework::WriteResult::Kind;

const scheduler::framework::WriteResult kTimedOut{
    .kind = Kind::kTimeout, .message = "no response within 30s", .may_have_happened = true};
const scheduler::framework::WriteResult kNotSent{Kind::kUnavailable, "not sent without the lease"};

// Reports whether the scheduler relies on it that an object is gone: a read, and the eviction of a
// victim, which counts as evicted then.
bool EndsIfGone(const scheduler::framework::ApiWrite& write) {
  const auto* patch = std::get_if<scheduler::framework::PatchPodStatus>(&write);
  return std::holds_alternative<scheduler::framework::GetResourceClaim>(write) ||
         std::holds_alternative<scheduler::framework::DeletePod>(write) ||
         (patch != nullptr && patch->condition && patch->condition->type == "DisruptionTarget");
}

// A write may be refused for any reason, though not by the report that an object is gone if that
// must be true.
scheduler::framework::WriteResult Refusal(const scheduler::framework::ApiWrite& write,
                                          Random& random) {
  switch (random.Below(3)) {
    case 0:
      return {Kind::kConflict, "the API reports a conflict"};
    case 1:
      if (EndsIfGone(write)) break;
      return {Kind::kNotFound, "the API reports that the object does not exist"};
    default:
      break;
  }
  return {Kind::kUnavailable, "the API is not available"};
}

}  // namespace

void WriteChannel::Send(const scheduler::engine::Command& command, const Faults& faults,
                        Instant now) {
  Fate fate = Fate::kArrives;
  if (random_.Chance(faults.refused)) {
    fate = Fate::kRefused;
  } else if (random_.Chance(faults.lost)) {
    constexpr Fate kFates[] = {Fate::kLost, Fate::kResultLost, Fate::kLate};
    fate = kFates[random_.Below(3)];
  }
  writes_.push_back({command, fate, now});
}

bool WriteChannel::CanProgress(const Write& write, Instant now) const {
  const bool timed_out = now >= write.sent + kTimeout;
  switch (write.fate) {
    case Fate::kArrives:
    case Fate::kRefused:
    case Fate::kOrphan:
      return true;
    case Fate::kLost:
    case Fate::kLate:
      return timed_out;
    case Fate::kResultLost:
      return !write.result || timed_out;
  }
  return false;
}

// Returns the result if the scheduler receives it now.
std::optional<scheduler::framework::WriteResult> WriteChannel::Advance(Write& write, Instant now) {
  switch (write.fate) {
    case Fate::kRefused:
      return Refusal(write.command.write, random_);
    case Fate::kLost:
      return kTimedOut;
    case Fate::kLate:
      write.fate = Fate::kOrphan;
      return kTimedOut;
    case Fate::kResultLost:
      if (write.result) return kTimedOut;
      break;
    case Fate::kArrives:
    case Fate::kOrphan:
      if (write.result) return write.result;
      break;
  }
  late_writes_ += write.term_ended;
  write.result = api_.Execute(write.command.write, now);
  return std::nullopt;
}

std::optional<scheduler::engine::WriteDone> WriteChannel::Progress(Instant now) {
  std::vector<size_t> movable;
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (CanProgress(writes_[i], now)) movable.push_back(i);
  }
  if (movable.empty()) return std::nullopt;
  const size_t chosen = movable[random_.Below(movable.size())];
  Write& write = writes_[chosen];
  const bool orphan = write.fate == Fate::kOrphan;
  const auto result = Advance(write, now);
  const scheduler::engine::CommandId id = write.command.id;
  const bool finished = orphan ? write.result.has_value() : result && write.fate != Fate::kOrphan;
  if (finished) writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(chosen));
  if (orphan || !result) return std::nullopt;
  return scheduler::engine::WriteDone{id, *result};
}

void WriteChannel::Orphan() {
  std::erase_if(writes_, [this](const Write& write) {
    return write.result || write.fate == Fate::kRefused || write.fate == Fate::kLost ||
           random_.Chance(50);
  });
  for (Write& write : writes_) write.fate = Fate::kOrphan;
}

std::vector<scheduler::engine::WriteDone> WriteChannel::EndTerm(Instant now, bool sends_on) {
  std::vector<scheduler::engine::WriteDone> ended;
  std::vector<Write> later;
  for (Write& write : std::exchange(writes_, {})) {
    const bool queued = !write.result && random_.Chance(50);
    if (write.fate == Fate::kOrphan || (queued && sends_on)) {
      // An orphan was sent by a process that died, which no lease protects from.
      write.term_ended = write.fate != Fate::kOrphan;
      write.fate = Fate::kOrphan;
      later.push_back(std::move(write));
      continue;
    }
    const bool executed = !queued && write.fate != Fate::kRefused && write.fate != Fate::kLost;
    if (executed && !write.result) write.result = api_.Execute(write.command.write, now);
    ended.push_back({write.command.id, queued ? kNotSent : write.result.value_or(kTimedOut)});
  }
  writes_ = std::move(later);
  return ended;
}

bool WriteChannel::idle(Instant now) const {
  return std::ranges::none_of(writes_, [&](const Write& write) { return CanProgress(write, now); });
}

std::optional<Instant> WriteChannel::next_timeout() const {
  std::optional<Instant> next;
  for (const Write& write : writes_) {
    const Instant due = write.sent + kTimeout;
    if (!next || due < *next) next = due;
  }
  return next;
}

}  // namespace berth::simulation
