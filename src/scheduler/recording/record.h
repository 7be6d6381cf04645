// Record is one entry of a recording: a call of the engine or its result.
//
// A call (HandleCall, ScheduleCall) is written before it is made, so that the recording of a
// program that crashed ends with the call at fault. Its results (DecisionsRecord, CommandsRecord)
// follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/now.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/events.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::recording {

// Engine::Handle(event, now).
struct HandleCall {
  Now now;
  engine::Event event;
};

// Engine::Schedule(now, limit).
struct ScheduleCall {
  Now now;
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const ScheduleCall&, const ScheduleCall&) = default;
};

// The decisions of the preceding call: always after ScheduleCall, after HandleCall only if there
// are any.
struct DecisionsRecord {
  uint64_t tried = 0;                  // What Schedule returned.
  std::vector<std::string> decisions;  // See event_codec.h.
  friend bool operator==(const DecisionsRecord&, const DecisionsRecord&) = default;
};

// The result of Engine::TakeCommands(limit).
struct CommandsRecord {
  std::vector<std::string> commands;  // See event_codec.h.
  bool limited = false;               // `limit` was reached.
  friend bool operator==(const CommandsRecord&, const CommandsRecord&) = default;
};

using Record = std::variant<HandleCall, ScheduleCall, DecisionsRecord, CommandsRecord>;

// Everything needed to create an engine that decides as the recorded one.
struct RecordingHeader {
  std::string program;        // The program that wrote it, for users.
  std::string configuration;  // A complete KubeSchedulerConfiguration as YAML.
  uint64_t seed = 0;
  model::Features features = {};
  // A recording may consist of several files: the second begins where the first ends. They have the
  // same seed.
  uint64_t part = 1;
  friend bool operator==(const RecordingHeader&, const RecordingHeader&) = default;
};

std::string EncodeHeader(const RecordingHeader& header);
Result<RecordingHeader> DecodeHeader(std::string_view bytes);

// RecordCodec encodes records, or decodes them in the same order: each time is stored as the
// difference to the previous one, and how far the wall clock is ahead of the steady one only when
// that changes.
class RecordCodec {
 public:
  std::string Encode(const Record& record);
  Result<Record> Decode(std::string_view bytes);

 private:
  Instant last_time_;    // By the steady clock.
  Duration wall_ahead_;  // What the wall clock adds to it.
};

}  // namespace berth::scheduler::recording
