// RecordingEngine forwards calls to an engine and records each with its result.
//
// Without a recorder it only forwards, so that drivers need no second code path. Write errors never
// affect the engine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording.h"

namespace berth::scheduler::recording {

class RecordingEngine final : private engine::DecisionObserver {
 public:
  // `engine` must be new; both must outlive this. All calls must go through this object.
  explicit RecordingEngine(engine::Engine& engine, Recorder* recorder = nullptr);
  ~RecordingEngine() override;
  RecordingEngine(const RecordingEngine&) = delete;
  RecordingEngine& operator=(const RecordingEngine&) = delete;

  // Like those of Engine.
  void Handle(const engine::Event& event, const Now& now);
  size_t Schedule(const Now& now, size_t limit = SIZE_MAX);
  std::vector<engine::Command> TakeCommands(size_t limit = SIZE_MAX);
  std::optional<Instant> next_wake() const { return engine_.next_wake(); }
  void Observe(engine::DecisionObserver* observer) { observer_ = observer; }

  const engine::Engine& engine() const { return engine_; }

 private:
  void OnDecision(const engine::Decision& decision) override;

  engine::Engine& engine_;
  Recorder* recorder_;
  engine::DecisionObserver* observer_ = nullptr;
  std::vector<std::string> decisions_;  // Of the current call.
  bool called_ = false;                 // Since the last TakeCommands.
};

}  // namespace berth::scheduler::recording
