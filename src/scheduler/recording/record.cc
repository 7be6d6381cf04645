#include "scheduler/recording/record.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {
namespace {

// The first byte of a record. Part of the file format: numbers are never reused.
enum class RecordTag : uint8_t {
  kHandle = 1,
  kSchedule = 2,
  kDecisions = 3,
  kCommands = 4,
  kLimitedCommands = 5,
};

static_assert(std::variant_size_v<Record> == 4, "record.cc must handle the new kind of record");

// Differences wrap around, so that they are defined for any two instants.
int64_t Minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t Plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

void PutTag(ByteWriter& out, RecordTag tag) { out.Number(static_cast<uint64_t>(tag)); }

void PutList(ByteWriter& out, const std::vector<std::string>& texts) {
  out.Number(texts.size());
  for (const std::string& text : texts) out.String(text);
}

std::vector<std::string> ReadList(ByteReader& in) {
  std::vector<std::string> texts;
  const uint64_t count = in.Number();
  // Each text takes at least a byte; a corrupt count ends with the input.
  for (uint64_t i = 0; i < count && in.left() > 0; ++i) texts.emplace_back(in.String());
  if (texts.size() != count) in.Number();  // Sets the error: nothing is left.
  return texts;
}

Result<Record> DecodeTaggedRecord(uint64_t tag, ByteReader& in, int64_t& last_nanos) {
  auto time = [&] {
    last_nanos = Plus(last_nanos, in.Signed());
    return Instant{last_nanos};
  };
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::kHandle: {
      const Instant now = time();
      auto event = DecodeEvent(in);
      if (!event) return std::unexpected(event.error());
      return HandleCall{now, *std::move(event)};
    }
    case RecordTag::kSchedule: {
      const Instant now = time();
      return ScheduleCall{now, in.Number() - 1};
    }
    case RecordTag::kDecisions: {
      const uint64_t tried = in.Number();
      return DecisionsRecord{tried, ReadList(in)};
    }
    case RecordTag::kCommands:
    case RecordTag::kLimitedCommands:
      return CommandsRecord{ReadList(in),
                            static_cast<RecordTag>(tag) == RecordTag::kLimitedCommands};
  }
  return Fail(fmt::format("a record of kind {}, which this build does not support", tag));
}

}  // namespace

std::string EncodeHeader(const RecordingHeader& header) {
  ByteWriter out;
  out.String(header.program);
  out.String(header.configuration);
  out.Number(header.seed);
  return std::move(out).Take();
}

Result<RecordingHeader> DecodeHeader(std::string_view bytes) {
  ByteReader in(bytes);
  RecordingHeader header;
  header.program = in.String();
  header.configuration = in.String();
  header.seed = in.Number();
  if (!in.finished()) return Fail("malformed header");
  return header;
}

std::string RecordCodec::Encode(const Record& record) {
  ByteWriter out;
  auto put_time = [&](Instant now) {
    out.Signed(Minus(now.nanos, last_nanos_));
    last_nanos_ = now.nanos;
  };
  std::visit(Overloaded{
                 [&](const HandleCall& call) {
                   PutTag(out, RecordTag::kHandle);
                   put_time(call.now);
                   EncodeEvent(call.event, out);
                 },
                 [&](const ScheduleCall& call) {
                   PutTag(out, RecordTag::kSchedule);
                   put_time(call.now);
                   out.Number(call.limit + 1);  // No limit, the usual case, becomes 0.
                 },
                 [&](const DecisionsRecord& decisions) {
                   PutTag(out, RecordTag::kDecisions);
                   out.Number(decisions.tried);
                   PutList(out, decisions.decisions);
                 },
                 [&](const CommandsRecord& commands) {
                   PutTag(out,
                          commands.limited ? RecordTag::kLimitedCommands : RecordTag::kCommands);
                   PutList(out, commands.commands);
                 },
             },
             record);
  return std::move(out).Take();
}

Result<Record> RecordCodec::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const uint64_t tag = in.Number();
  auto record = DecodeTaggedRecord(tag, in, last_nanos_);
  if (!record) return record;
  if (!in.finished()) return Fail("a record of the wrong length");
  return record;
}

}  // namespace berth::scheduler::recording
