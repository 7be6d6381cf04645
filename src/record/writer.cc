#include "record/writer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/check.h"
#include "record/frame.h"

namespace berth {

RecordWriter::RecordWriter(const RecordingHeader& header, RecordSink sink)
    : sink_(std::move(sink)) {
  status_ = sink_(std::string(kRecordingMagic) + EncodeUint32(kRecordingVersion));
  AppendFrame(EncodeHeader(header));
}

void RecordWriter::Append(const Record& record) {
  CHECK(!closed_);
  AppendFrame(codec_.Encode(record));
  if (status_) ++records_;
}

void RecordWriter::AppendFrame(std::string_view plain) {
  if (!status_) return;
  if (plain.size() > kMaxRecordSize) {
    status_ = Fail(fmt::format("a record of {} bytes is too long to be recorded", plain.size()));
    return;
  }
  const std::string packed = deflater_.Pack(plain);
  if (packed.size() > kMaxFrameContent) {
    status_ =
        Fail(fmt::format("a record of {} packed bytes is too long to be recorded", packed.size()));
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

}  // namespace berth
