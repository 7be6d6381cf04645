#include "scheduler/recording/recording_engine.h"

#include <utility>

#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {

RecordingEngine::RecordingEngine(engine::Engine& engine, Recorder* recorder)
    : engine_(engine), recorder_(recorder) {
  engine_.Observe(this);
}

RecordingEngine::~RecordingEngine() { engine_.Observe(nullptr); }

void RecordingEngine::Handle(const engine::Event& event, const Now& now) {
  if (recorder_ == nullptr) return engine_.Handle(event, now);
  called_ = true;
  recorder_->Append(HandleCall{now, event});
  engine_.Handle(event, now);
  if (!decisions_.empty()) recorder_->Append(DecisionsRecord{0, std::exchange(decisions_, {})});
}

size_t RecordingEngine::Schedule(const Now& now, size_t limit) {
  if (recorder_ == nullptr) return engine_.Schedule(now, limit);
  called_ = true;
  recorder_->Append(ScheduleCall{now, limit});
  const size_t tried = engine_.Schedule(now, limit);
  recorder_->Append(DecisionsRecord{tried, std::exchange(decisions_, {})});
  return tried;
}

std::vector<engine::Command> RecordingEngine::TakeCommands(size_t limit) {
  std::vector<engine::Command> commands = engine_.TakeCommands(limit);
  // Repeated calls without effect are not recorded.
  if (recorder_ == nullptr || (!std::exchange(called_, false) && commands.empty())) return commands;
  CommandsRecord record{.commands = {}, .limited = commands.size() == limit};
  for (const engine::Command& command : commands) record.commands.push_back(CommandText(command));
  recorder_->Append(std::move(record));
  return commands;
}

void RecordingEngine::OnDecision(const engine::Decision& decision) {
  if (recorder_ != nullptr) decisions_.push_back(DecisionText(decision));
  if (observer_ != nullptr) observer_->OnDecision(decision);
}

}  // namespace berth::scheduler::recording
