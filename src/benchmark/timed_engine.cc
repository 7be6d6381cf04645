#include "benchmark/timed_engine.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

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

Duration TimedEngine::Pass(int64_t start, Duration& part) {
  const Duration passed{nanos_() - start};
  part += passed;
  clock_.Advance(passed);
  return passed;
}

void TimedEngine::Load(std::span<const scheduler::engine::Event> events) {
  const int64_t start = nanos_();
  for (const scheduler::engine::Event& event : events) engine_->Handle(event, clock_.Now());
  Pass(start, time_.loading);
}

void TimedEngine::Handle(std::span<const scheduler::engine::Event> events) {
  while (!events.empty()) {
    // As many as are of the same sort.
    const bool are_results = IsResult(events.front());
    const auto end = std::ranges::find_if(
        events, [&](const auto& event) { return IsResult(event) != are_results; });
    const auto some = events.first(static_cast<size_t>(end - events.begin()));
    const int64_t start = nanos_();
    for (const scheduler::engine::Event& event : some) engine_->Handle(event, clock_.Now());
    Pass(start, are_results ? time_.deciding : time_.events);
    events = events.subspan(some.size());
  }
}

size_t TimedEngine::Schedule(size_t limit, std::vector<scheduler::engine::Command>& commands) {
  // One attempt begins where the last one ends: reading the time costs a system call.
  int64_t start = nanos_();
  Append(engine_->TakeCommands(), commands);
  if (limit == 0) Pass(start, time_.deciding);
  for (size_t tried = 0; tried < limit; ++tried) {
    const bool any = engine_->Schedule(clock_.Now(), 1) > 0;
    auto issued = engine_->TakeCommands();
    const Duration passed = Pass(start, time_.deciding);
    start += passed.nanos;
    const bool goes_on = any && std::ranges::all_of(issued, IsBindOrEvent);
    Append(std::move(issued), commands);
    if (any) decision_time_.Add(passed);
    if (!goes_on) return tried + (any ? 1 : 0);
  }
  return limit;
}

std::vector<scheduler::engine::Command> TimedEngine::TakeCommands() {
  const int64_t start = nanos_();
  auto commands = engine_->TakeCommands();
  Pass(start, time_.deciding);
  return commands;
}

}  // namespace berth::benchmark
