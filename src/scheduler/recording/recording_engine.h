// RecordingEngine passes calls on to an engine, and writes each down with what came of it.
//
// Without a writer it only passes them on, so that a driver need not tell the two apart. A failure
// to write never disturbs the engine: the writer's status tells of it.
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
  // `engine` must be new, and both must outlive this. All calls must go through here.
  explicit RecordingEngine(engine::Engine& engine, RecordWriter* writer = nullptr);
  ~RecordingEngine() override;
  RecordingEngine(const RecordingEngine&) = delete;
  RecordingEngine& operator=(const RecordingEngine&) = delete;

  // As those of Engine.
  void Handle(const engine::Event& event, Instant now);
  size_t Schedule(Instant now, size_t limit = SIZE_MAX);
  std::vector<engine::Command> TakeCommands(size_t limit = SIZE_MAX);
  std::optional<Instant> next_wake() const { return engine_.next_wake(); }
  void Observe(engine::DecisionObserver* observer) { observer_ = observer; }

  const engine::Engine& engine() const { return engine_; }

 private:
  void OnDecision(const engine::Decision& decision) override;

  engine::Engine& engine_;
  RecordWriter* writer_;
  engine::DecisionObserver* observer_ = nullptr;
  std::vector<std::string> decisions_;  // Of the call under way.
  bool called_ = false;                 // Since commands were taken last.
};

}  // namespace berth::scheduler::recording
