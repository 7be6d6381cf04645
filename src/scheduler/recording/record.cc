#include "scheduler/recording/record.h"

#include <fmt/format.h>

#include "base/overloaded.h"
#include "scheduler/recording/event_codec.h"

namespace berth::scheduler::recording {
namespace {

// What comes first in the bytes of a record. Part of the format: numbers are never used again.
enum class Tag : uint8_t { kHeard = 1, kAsked = 2, kDecided = 3, kTaken = 4, kTakenSome = 5 };

static_assert(std::variant_size_v<Record> == 4, "teach record.cc the new kind of record");

// Differences of times wrap, so that any two instants have one.
int64_t Minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t Plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

void Put(ByteWriter& out, Tag tag) { out.Number(static_cast<uint64_t>(tag)); }

void PutList(ByteWriter& out, const std::vector<std::string>& texts) {
  out.Number(texts.size());
  for (const std::string& text : texts) out.String(text);
}

std::vector<std::string> ReadList(ByteReader& in) {
  std::vector<std::string> texts;
  const uint64_t count = in.Number();
  // Each takes a byte at least; a damaged count ends with the bytes.
  for (uint64_t i = 0; i < count && in.left() > 0; ++i) texts.emplace_back(in.String());
  if (texts.size() != count) in.Number();  // Nothing is left: it fails.
  return texts;
}

Result<Record> DecodeTagged(uint64_t tag, ByteReader& in, int64_t& last_nanos) {
  auto time = [&] {
    last_nanos = Plus(last_nanos, in.Signed());
    return Instant{last_nanos};
  };
  switch (static_cast<Tag>(tag)) {
    case Tag::kHeard: {
      const Instant now = time();
      auto event = DecodeEvent(in);
      if (!event) return std::unexpected(event.error());
      return HandleCall{now, *std::move(event)};
    }
    case Tag::kAsked: {
      const Instant now = time();
      return ScheduleCall{now, in.Number() - 1};
    }
    case Tag::kDecided: {
      const uint64_t tried = in.Number();
      return DecisionsRecord{tried, ReadList(in)};
    }
    case Tag::kTaken:
    case Tag::kTakenSome:
      return CommandsRecord{ReadList(in), static_cast<Tag>(tag) == Tag::kTakenSome};
  }
  return Fail(fmt::format("a record of kind {}, which this build does not know", tag));
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
  if (!in.finished()) return Fail("the header is not as it should be");
  return header;
}

std::string RecordCodec::Encode(const Record& record) {
  ByteWriter out;
  auto put_time = [&](Instant now) {
    out.Signed(Minus(now.nanos, last_nanos_));
    last_nanos_ = now.nanos;
  };
  std::visit(Overloaded{
                 [&](const HandleCall& heard) {
                   Put(out, Tag::kHeard);
                   put_time(heard.now);
                   EncodeEvent(heard.event, out);
                 },
                 [&](const ScheduleCall& asked) {
                   Put(out, Tag::kAsked);
                   put_time(asked.now);
                   out.Number(asked.limit + 1);  // No limit, the usual case, becomes 0.
                 },
                 [&](const DecisionsRecord& decided) {
                   Put(out, Tag::kDecided);
                   out.Number(decided.tried);
                   PutList(out, decided.decisions);
                 },
                 [&](const CommandsRecord& taken) {
                   Put(out, taken.limited ? Tag::kTakenSome : Tag::kTaken);
                   PutList(out, taken.commands);
                 },
             },
             record);
  return std::move(out).Take();
}

Result<Record> RecordCodec::Decode(std::string_view bytes) {
  ByteReader in(bytes);
  const uint64_t tag = in.Number();
  auto record = DecodeTagged(tag, in, last_nanos_);
  if (!record) return record;
  if (!in.finished()) return Fail("a record that is longer or shorter than it should be");
  return record;
}

}  // namespace berth::scheduler::recording
