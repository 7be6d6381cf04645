#include "benchmark/timed_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "base/steady_clock.h"

namespace berth::benchmark {
namespace {

bool IsResult(const scheduler::engine::Event& event) {
  return std::holds_alternative<scheduler::engine::WriteDone>(event);
}

bool IsBindOrEvent(const scheduler::engine::Command& command) {
  return std::holds_alternative<scheduler::framework::BindPod>(command.write) ||
         std::holds_alternative<scheduler::framework::RecordEvent>(command.write);
}

void Append(std::vector<scheduler::engine::Command> some,
            std::vector<scheduler::engine::Command>& all) {
  if (all.empty()) {
    all = std::move(some);
  } else {
    std::ranges::move(some, std::back_inserter(all));
  }
}

}  // namespace

int64_t TimedEngine::Pass(int64_t start, Duration& part) {
  const int64_t end = nanos_();
  part += {end - start};
  clock_.Advance({end - start});
  return end;
}

void TimedEngine::Load(std::span<const scheduler::engine::Event> events) {
  const int64_t start = nanos_();
  for (const scheduler::engine::Event& event : events) engine_->Handle(event, clock_.Now());
  Pass(start, time_.loading);
}

void TimedEngine::Handle(std::span<const scheduler::engine::Event> events) {
  int64_t start = events.empty() ? 0 : nanos_();
  while (!events.empty()) {
    // As many as are of the same sort.
    const bool are_results = IsResult(events.front());
    const auto end = std::ranges::find_if(
        events, [&](const auto& event) { return IsResult(event) != are_results; });
    const auto some = events.first(static_cast<size_t>(end - events.begin()));
    for (const scheduler::engine::Event& event : some) engine_->Handle(event, clock_.Now());
    start = Pass(start, are_results ? time_.deciding : time_.events);
    events = events.subspan(some.size());
  }
}

size_t TimedEngine::Schedule(size_t limit, std::vector<scheduler::engine::Command>& commands) {
  const int64_t start = nanos_();
  Append(engine_->TakeCommands(), commands);
  size_t tried = 0;
  int64_t begun = SteadyNanos();
  for (bool goes_on = true; goes_on && tried < limit;) {
    const bool any = engine_->Schedule(clock_.Now(), 1) > 0;
    auto issued = engine_->TakeCommands();
    const int64_t ended = SteadyNanos();
    if (any) decision_time_.Add({ended - std::exchange(begun, ended)});
    tried += any ? 1 : 0;
    goes_on = any && std::ranges::all_of(issued, IsBindOrEvent);
    Append(std::move(issued), commands);
  }
  Pass(start, time_.deciding);
  return tried;
}

std::vector<scheduler::engine::Command> TimedEngine::TakeCommands() {
  const int64_t start = nanos_();
  auto commands = engine_->TakeCommands();
  Pass(start, time_.deciding);
  return commands;
}

}  // namespace berth::benchmark
