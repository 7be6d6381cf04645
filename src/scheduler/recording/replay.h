// Replay repeats the calls of a recording on a new engine and compares the results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "scheduler/engine/engine.h"
#include "scheduler/recording/recording.h"

namespace berth::scheduler::recording {

// Returns the options of the recorded engine. A program that records creates its engine from these,
// so that the header is complete.
Result<engine::EngineOptions> OptionsFor(const RecordingHeader& header);

struct ReplayReport {
  // The first result that differs; the rest is not compared.
  struct Mismatch {
    uint64_t record = 0;   // The number of the record, from 1.
    std::string call;      // The preceding call.
    std::string recorded;  // The first text that differs, or "nothing".
    std::string replayed;
    std::string ToString() const;
  };

  uint64_t events = 0;     // Handle calls.
  uint64_t schedules = 0;  // Schedule calls.
  uint64_t decisions = 0;
  uint64_t placed = 0;  // Decisions with a node.
  uint64_t commands = 0;
  std::optional<Mismatch> mismatch;
  RecordingEnd end;  // How the recording ends.

  bool identical() const { return !mismatch; }
};

struct ReplayOptions {
  // As in EngineOptions. What observes the attempts learns all that happened but durations.
  bool paranoid = false;
  engine::AttemptObserver* attempts = nullptr;
  // Called after each record, if set.
  std::function<void(const ReplayReport&, uint64_t records)> progress = {};
};

// Replays all complete records. Fails if no engine can be created from the header.
Result<ReplayReport> Replay(RecordReader& reader, const framework::Registry& registry,
                            const ReplayOptions& options = {});

}  // namespace berth::scheduler::recording
