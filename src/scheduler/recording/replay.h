// Replay tells a fresh engine what a recorded one was told, and compares the answers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording.h"

namespace berth::scheduler::recording {

// The options of the engine that a recording is of, or is to be of: whoever records makes the
// engine from these, so that nothing that matters is left out of the header.
Result<engine::EngineOptions> OptionsFor(const RecordingHeader& header);

struct ReplayReport {
  // Where the answers part for the first time; nothing after it is looked at.
  struct Mismatch {
    uint64_t record = 0;   // The number of the record, from 1, that does not match.
    std::string call;      // What the engine was told before.
    std::string recorded;  // The first answer that differs, or "nothing".
    std::string replayed;
    std::string ToString() const;
  };

  uint64_t events = 0;     // That were handled.
  uint64_t schedules = 0;  // Times that the engine was asked to schedule.
  uint64_t decisions = 0;
  uint64_t placed = 0;  // Decisions for a node.
  uint64_t commands = 0;
  std::optional<Mismatch> mismatch;
  RecordingEnd end;  // Of what was read.

  bool identical() const { return !mismatch; }
};

struct ReplayOptions {
  bool paranoid = false;  // As of EngineOptions.
  // Called after each record, if set.
  std::function<void(const ReplayReport&, uint64_t records)> progress = {};
};

// Replays all that is whole. Fails if no engine can be made from the recording's header.
Result<ReplayReport> Replay(RecordReader& reader, const framework::Registry& registry,
                            const ReplayOptions& options = {});

}  // namespace berth::scheduler::recording
