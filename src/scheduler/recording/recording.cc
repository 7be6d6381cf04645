#include "scheduler/recording/recording.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/check.h"
#include "scheduler/recording/file_format.h"

namespace berth::scheduler::recording {

RecordWriter::RecordWriter(const RecordingHeader& header, RecordSink sink)
    : sink_(std::move(sink)) {
  status_ = sink_(std::string(kRecordingMagic) + EncodeUint32(kRecordingVersion));
  AppendFrame(EncodeHeader(header));
}

void RecordWriter::Append(Record record) {
  CHECK(!closed_);
  AppendFrame(codec_.Encode(record));
  if (status_) ++records_;
}

void RecordWriter::AppendFrame(std::string_view plain) {
  if (!status_) return;
  if (plain.size() > kMaxRecordSize) {
    status_ = Fail(fmt::format("a record of {} bytes exceeds the limit", plain.size()));
    return;
  }
  const std::string packed = deflater_.Compress(plain);
  if (packed.size() > kMaxFrameContent) {
    status_ = Fail(fmt::format("a record of {} compressed bytes exceeds the limit", packed.size()));
    return;
  }
  const FrameHeader header{static_cast<uint32_t>(packed.size()), ChecksumOf(packed)};
  status_ = sink_(EncodeFrameHeader(header) + packed);
}

void RecordWriter::Close() {
  CHECK(!closed_);
  closed_ = true;
  if (status_) status_ = sink_(EncodeFrameHeader({0, static_cast<uint32_t>(records_)}));
}

using Kind = RecordingEnd::Kind;

std::string RecordingEnd::ToString() const {
  const std::string where =
      part > 1 ? fmt::format("byte {} of part {}", byte, part) : fmt::format("byte {}", byte);
  switch (kind) {
    case Kind::kClosed:
      return fmt::format("complete, {} records", records);
    case Kind::kNotClosed:
      return fmt::format("not closed: it ends after record {} at {}", records, where);
    case Kind::kCutOff:
      return fmt::format("cut off after record {} at {}", records, where);
    case Kind::kDamaged:
      return fmt::format("damaged at record {}, {}: {}", records + 1, where, why);
    case Kind::kFailed:
      return fmt::format("unreadable at record {}, {}: {}", records + 1, where, why);
  }
  return "";
}

Result<std::unique_ptr<RecordReader>> RecordReader::Open(RecordSource source,
                                                         std::vector<RecordSource> later_parts) {
  std::unique_ptr<RecordReader> reader(new RecordReader(std::move(source), std::move(later_parts)));
  auto header = reader->ReadStart();
  if (!header) return std::unexpected(header.error());
  reader->header_ = *std::move(header);
  reader->end_.part = reader->header_.part;
  return reader;
}

Result<RecordingHeader> RecordReader::ReadStart() {
  const auto start = Read(kRecordingMagic.size() + 4);
  if (!start) return std::unexpected(start.error());
  if (!start->starts_with(kRecordingMagic) || start->size() != kRecordingMagic.size() + 4) {
    return Fail("not a recording: it does not start with \"BERTHREC\" and a version");
  }
  const uint32_t version = DecodeUint32(std::string_view(*start).substr(kRecordingMagic.size()));
  if (version > kRecordingVersion) {
    return Fail(
        fmt::format("was written by a newer version of Berth: its format is {}, and this "
                    "version reads up to {}",
                    version, kRecordingVersion));
  }
  if (version < kOldestRecordingVersion) {
    return Fail(
        fmt::format("its format is {}, which no release of Berth wrote; this version reads "
                    "{} to {}",
                    version, kOldestRecordingVersion, kRecordingVersion));
  }
  end_.byte = position_;
  const auto bytes = NextFrame();
  if (!bytes) {
    return Fail(fmt::format("the header of the recording is {}",
                            end_.kind == Kind::kDamaged || end_.kind == Kind::kFailed
                                ? "damaged: " + end_.why
                                : "cut off"));
  }
  auto header = DecodeHeader(*bytes);
  if (header) end_.byte = position_;
  return header;
}

bool RecordReader::OpenNextPart() {
  if (end_.kind != Kind::kClosed || next_part_ == later_parts_.size()) return false;
  source_ = later_parts_[next_part_++];
  inflater_ = std::make_unique<Inflater>();
  codec_ = {};
  position_ = part_records_ = end_.byte = 0;
  ++end_.part;
  ended_ = false;
  const auto header = ReadStart();
  std::string why = header ? "" : header.error().message;
  if (header && (header->seed != header_.seed || header->part != end_.part)) {
    why = "it belongs to another recording";
  }
  if (why.empty()) return true;
  EndWith(Kind::kDamaged, std::move(why));
  return false;
}

std::optional<Record> RecordReader::Next() {
  if (ended_) return std::nullopt;
  auto bytes = NextFrame();
  while (!bytes && OpenNextPart()) bytes = NextFrame();
  if (!bytes) return std::nullopt;
  auto record = codec_.Decode(*bytes);
  if (!record) return EndWith(Kind::kDamaged, record.error().message);
  ++end_.records;
  ++part_records_;
  end_.byte = position_;
  return *std::move(record);
}

Result<std::string> RecordReader::Read(size_t size) {
  std::string bytes(size, '\0');
  const auto count = source_(bytes);
  if (!count) return std::unexpected(count.error());
  bytes.resize(*count);
  position_ += *count;
  return bytes;
}

std::optional<std::string> RecordReader::NextFrame() {
  const auto header = Read(kFrameHeaderSize);
  if (!header) return EndWith(Kind::kFailed, header.error().message);
  if (header->empty()) return EndWith(Kind::kNotClosed);
  if (header->size() < kFrameHeaderSize) return EndWith(Kind::kCutOff);
  const auto frame = DecodeFrameHeader(*header);
  if (!frame) return EndWith(Kind::kDamaged, "checksum of the length");
  if (frame->length > 0) return ReadContent(*frame);
  CheckClosing(*frame);
  return std::nullopt;
}

std::optional<std::string> RecordReader::ReadContent(const FrameHeader& frame) {
  const auto packed = Read(frame.length);
  if (!packed) return EndWith(Kind::kFailed, packed.error().message);
  if (packed->size() < frame.length) return EndWith(Kind::kCutOff);
  if (ChecksumOf(*packed) != frame.checksum) return EndWith(Kind::kDamaged, "checksum");
  auto plain = inflater_->Decompress(*packed, kMaxRecordSize);
  if (!plain) return EndWith(Kind::kDamaged, "the content cannot be decompressed");
  return plain;
}

void RecordReader::CheckClosing(const FrameHeader& frame) {
  if (frame.checksum != static_cast<uint32_t>(part_records_)) {
    EndWith(Kind::kDamaged, fmt::format("{} records expected", frame.checksum));
    return;
  }
  const auto more = Read(1);
  if (!more) {
    EndWith(Kind::kFailed, more.error().message);
  } else if (!more->empty()) {
    EndWith(Kind::kDamaged, "trailing data");
  } else {
    EndWith(Kind::kClosed);
    end_.byte = position_;
  }
}

std::nullopt_t RecordReader::EndWith(Kind kind, std::string why) {
  ended_ = true;
  end_.kind = kind;
  end_.why = std::move(why);
  return std::nullopt;
}

}  // namespace berth::scheduler::recording
