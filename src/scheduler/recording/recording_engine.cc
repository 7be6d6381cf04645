#include "scheduler/recording/recording_engine.h"

#include <utility>

#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {

RecordingEngine::RecordingEngine(engine::Engine& engine, RecordWriter* writer)
    : engine_(engine), writer_(writer) {
  engine_.Observe(this);
}

RecordingEngine::~RecordingEngine() { engine_.Observe(nullptr); }

void RecordingEngine::Handle(const engine::Event& event, const Now& now) {
  if (writer_ == nullptr) return engine_.Handle(event, now);
  called_ = true;
  writer_->Append(HandleCall{now, event});
  engine_.Handle(event, now);
  if (!decisions_.empty()) writer_->Append(DecisionsRecord{0, std::exchange(decisions_, {})});
}

size_t RecordingEngine::Schedule(const Now& now, size_t limit) {
  if (writer_ == nullptr) return engine_.Schedule(now, limit);
  called_ = true;
  writer_->Append(ScheduleCall{now, limit});
  const size_t tried = engine_.Schedule(now, limit);
  writer_->Append(DecisionsRecord{tried, std::exchange(decisions_, {})});
  return tried;
}

std::vector<engine::Command> RecordingEngine::TakeCommands(size_t limit) {
  std::vector<engine::Command> commands = engine_.TakeCommands(limit);
  // Repeated calls without effect are not recorded.
  if (writer_ == nullptr || (!std::exchange(called_, false) && commands.empty())) return commands;
  CommandsRecord record{.commands = {}, .limited = commands.size() == limit};
  for (const engine::Command& command : commands) record.commands.push_back(CommandText(command));
  writer_->Append(std::move(record));
  return commands;
}

void RecordingEngine::OnDecision(const engine::Decision& decision) {
  if (writer_ != nullptr) decisions_.push_back(DecisionText(decision));
  if (observer_ != nullptr) observer_->OnDecision(decision);
}

}  // namespace berth::scheduler::recording
