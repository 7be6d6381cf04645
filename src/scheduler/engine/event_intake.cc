#include "scheduler/engine/event_intake.h"

#include <variant>

namespace berth::scheduler::engine {

void EventIntake::Handle(const Event& event, const Now& time) {
  if (services_.loop.waits()) return HandleDuringCycle(event, time);
  PassTime(time);
  const int64_t since = services_.measurements == nullptr ? 0 : services_.measurements->Read();
  const HandledEvents handled = std::visit([this](const auto& known) { return On(known); }, event);
  services_.loop.FinishEnded();
  services_.profiles.DropRemovedClasses();
  if (handled.empty() || services_.measurements == nullptr) return;
  const Duration took{services_.measurements->Read() - since};
  for (framework::EventType type : handled) services_.measurements->EventHandled(type, took);
}

void EventIntake::HandleDuringCycle(const Event& event, const Now& time) {
  const auto* done = std::get_if<WriteDone>(&event);
  if (done == nullptr || !services_.outbox.CycleWaitsFor(done->id)) {
    deferred_events_.emplace_back(event, time);
    return;
  }
  services_.outbox.WriteEnded(done->id, done->result);
  if (!services_.loop.Resume()) return;
  // None of these starts another cycle.
  for (auto& [deferred, at] : std::exchange(deferred_events_, {})) Handle(deferred, at);
}

EventIntake::HandledEvents EventIntake::On(const WriteDone& done) {
  if (!services_.status.WriteEnded(done.id, done.result))
    services_.outbox.WriteEnded(done.id, done.result);
  return {};
}

EventIntake::HandledEvents EventIntake::On(const PermitDecision& decision) {
  if (decision.allow) {
    services_.waiting.Allow(decision.uid, decision.plugin);
  } else {
    services_.waiting.Reject(decision.uid, decision.plugin, decision.message);
  }
  return {};
}

void EventIntake::PassTime(const Now& time) {
  if (services_.loop.waits()) return;  // Nothing may change during a cycle that waits.
  services_.outbox.PassTime(time);
  services_.status.PassTime(services_.outbox.now());
  services_.waiting.PassTime(services_.outbox.now());
  services_.queue.PassTime(services_.outbox.now());
  services_.loop.FinishEnded();
}

std::optional<Instant> EventIntake::next_wake() const {
  if (services_.loop.waits()) return std::nullopt;  // No time passes until its command ends.
  std::optional<Instant> next;
  for (std::optional<Instant> wake : {services_.outbox.next_wake(), services_.status.next_wake(),
                                      services_.waiting.next_wake(), services_.queue.next_wake()}) {
    if (wake && (!next || *wake < *next)) next = wake;
  }
  return next;
}

}  // namespace berth::scheduler::engine
