#include "scheduler/recording/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {
namespace {

// The first byte of a record. Part of the file format: numbers are never reused.
enum class RecordTag : uint64_t {
  kHandle = 1,
  kSchedule = 2,
  kDecisions = 3,
  kCommands = 4,
  kLimitedCommands = 5,
  // As kHandle and kSchedule, after the wall clock was set.
  kHandleAfterClockChange = 6,
  kScheduleAfterClockChange = 7,
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

// Decodes times from their differences.
class TimeReader {
 public:
  TimeReader(ByteReader& in, Instant& last, Duration& wall_ahead)
      : in_(in), last_(last), wall_ahead_(wall_ahead) {}

  Now Read(bool clock_changed) {
    last_.nanos = Plus(last_.nanos, in_.Signed());
    if (clock_changed) wall_ahead_.nanos = in_.Signed();
    return {last_, {Plus(last_.nanos, wall_ahead_.nanos)}};
  }

 private:
  ByteReader& in_;
  Instant& last_;
  Duration& wall_ahead_;
};

Result<Record> DecodeTaggedRecord(RecordTag tag, ByteReader& in, TimeReader time) {
  switch (tag) {
    case RecordTag::kHandle:
    case RecordTag::kHandleAfterClockChange: {
      const Now now = time.Read(tag == RecordTag::kHandleAfterClockChange);
      auto event = DecodeEvent(in);
      if (!event) return std::unexpected(event.error());
      return HandleCall{now, *std::move(event)};
    }
    case RecordTag::kSchedule:
    case RecordTag::kScheduleAfterClockChange: {
      const Now now = time.Read(tag == RecordTag::kScheduleAfterClockChange);
      return ScheduleCall{now, in.Number() - 1};
    }
    case RecordTag::kDecisions: {
      const uint64_t tried = in.Number();
      return DecisionsRecord{tried, ReadList(in)};
    }
    case RecordTag::kCommands:
    case RecordTag::kLimitedCommands:
      return CommandsRecord{ReadList(in), tag == RecordTag::kLimitedCommands};
  }
  return Fail(fmt::format("a record of kind {}, which this build does not support",
                          static_cast<uint64_t>(tag)));
}

}  // namespace

std::string EncodeHeader(const RecordingHeader& header) {
  ByteWriter out;
  out.String(header.program);
  out.String(header.configuration);
  out.Number(header.seed);
  // Gates that have their defaults are left out: builds without them read such a header.
  std::vector<const model::NamedFeature*> changed;
  for (const model::NamedFeature& feature : model::kNamedFeatures) {
    if (header.features.*feature.field != model::Features().*feature.field)
      changed.push_back(&feature);
  }
  // So is the number of the first part.
  if (!changed.empty() || header.part > 1) out.Number(changed.size());
  for (const model::NamedFeature* feature : changed) {
    out.String(feature->name);
    out.Number(header.features.*feature->field ? 1 : 0);
  }
  if (header.part > 1) out.Number(header.part);
  return std::move(out).Take();
}

namespace {

Status ReadFeatures(ByteReader& in, model::Features& features) {
  const uint64_t count = in.Number();
  for (uint64_t i = 0; i < count && in.left() > 0; ++i) {
    const std::string_view name = in.String();
    const bool on = in.Number() != 0;
    const auto known = std::ranges::find(model::kNamedFeatures, name, &model::NamedFeature::name);
    if (known == model::kNamedFeatures.end()) {
      return Fail(fmt::format("feature gate {}, which this build does not support", name));
    }
    features.*known->field = on;
  }
  return {};
}

}  // namespace

Result<RecordingHeader> DecodeHeader(std::string_view bytes) {
  ByteReader in(bytes);
  RecordingHeader header;
  header.program = in.String();
  header.configuration = in.String();
  header.seed = in.Number();
  if (in.left() > 0) {
    if (const Status read = ReadFeatures(in, header.features); !read)
      return std::unexpected(read.error());
  }
  if (in.left() > 0) header.part = in.Number();
  if (!in.finished() || header.part == 0) return Fail("malformed header");
  return header;
}

std::string RecordCodec::Encode(const Record& record) {
  ByteWriter out;
  const auto put_call = [&](RecordTag tag, RecordTag after_clock_change, const Now& now) {
    const int64_t wall_ahead = Minus(now.wall.nanos, now.steady.nanos);
    const bool clock_changed = wall_ahead != wall_ahead_.nanos;
    PutTag(out, clock_changed ? after_clock_change : tag);
    out.Signed(Minus(now.steady.nanos, last_time_.nanos));
    if (clock_changed) out.Signed(wall_ahead);
    last_time_ = now.steady;
    wall_ahead_.nanos = wall_ahead;
  };
  std::visit(Overloaded{
                 [&](const HandleCall& call) {
                   put_call(RecordTag::kHandle, RecordTag::kHandleAfterClockChange, call.now);
                   EncodeEvent(call.event, out);
                 },
                 [&](const ScheduleCall& call) {
                   put_call(RecordTag::kSchedule, RecordTag::kScheduleAfterClockChange, call.now);
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
  const auto tag = static_cast<RecordTag>(in.Number());
  auto record = DecodeTaggedRecord(tag, in, TimeReader(in, last_time_, wall_ahead_));
  if (!record) return record;
  if (!in.finished()) return Fail("a record of the wrong length");
  return record;
}

}  // namespace berth::scheduler::recording
