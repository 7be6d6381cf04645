// Record is one entry of a recording: something that the engine was told, or what it answered.
//
// A recording alternates: a call (Heard, Asked) is written before it is made, so that a recording
// of a program that crashed ends with the call at fault; the answers (Decided, Taken) follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/events.h"

namespace berth {

// Engine::Handle(event, now).
struct Heard {
  Instant now;
  Event event;
};

// Engine::Schedule(now, limit).
struct Asked {
  Instant now;
  uint64_t limit = UINT64_MAX;
  friend bool operator==(const Asked&, const Asked&) = default;
};

// What the call before led to: always after Asked, after Heard if there were decisions.
struct Decided {
  uint64_t tried = 0;                  // What Schedule returned.
  std::vector<std::string> decisions;  // See event_codec.h.
  friend bool operator==(const Decided&, const Decided&) = default;
};

// Engine::TakeCommands(limit) gave these.
struct Taken {
  std::vector<std::string> commands;  // See event_codec.h.
  bool limited = false;               // No more were asked for.
  friend bool operator==(const Taken&, const Taken&) = default;
};

using Record = std::variant<Heard, Asked, Decided, Taken>;

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

}  // namespace berth
