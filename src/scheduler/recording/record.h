// Record is one entry of a recording: something that the engine was told, or what it answered.
//
// A recording alternates: a call (HandleCall, ScheduleCall) is written before it is made, so that a
// recording of a program that crashed ends with the call at fault; the answers (DecisionsRecord,
// CommandsRecord) follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/events.h"

namespace berth::scheduler::recording {

// Engine::Handle(event, now).
struct HandleCall {
  Instant now;
  engine::Event event;
};

// Engine::Schedule(now, limit).
struct ScheduleCall {
  Instant now;
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const ScheduleCall&, const ScheduleCall&) = default;
};

// What the call before led to: always after ScheduleCall, after HandleCall if there were decisions.
struct DecisionsRecord {
  uint64_t tried = 0;                  // What Schedule returned.
  std::vector<std::string> decisions;  // See event_codec.h.
  friend bool operator==(const DecisionsRecord&, const DecisionsRecord&) = default;
};

// Engine::TakeCommands(limit) gave these.
struct CommandsRecord {
  std::vector<std::string> commands;  // See event_codec.h.
  bool limited = false;               // No more were asked for.
  friend bool operator==(const CommandsRecord&, const CommandsRecord&) = default;
};

using Record = std::variant<HandleCall, ScheduleCall, DecisionsRecord, CommandsRecord>;

// What is needed to make an engine that decides as the recorded one did.
struct RecordingHeader {
  std::string program;        // Who wrote the recording; for people.
  std::string configuration;  // A KubeSchedulerConfiguration, complete, as YAML.
  uint64_t seed = 0;
  friend bool operator==(const RecordingHeader&, const RecordingHeader&) = default;
};

std::string EncodeHeader(const RecordingHeader& header);
Result<RecordingHeader> DecodeHeader(std::string_view bytes);

// Encodes records, and decodes them in the same order: times are kept as the difference to the
// record before.
class RecordCodec {
 public:
  std::string Encode(const Record& record);
  Result<Record> Decode(std::string_view bytes);

 private:
  int64_t last_nanos_ = 0;
};

}  // namespace berth::scheduler::recording
