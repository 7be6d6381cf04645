// RecordWriter appends records to a recording. Each is complete in what the sink was given when
// Append returns; nothing is held back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/recording/file_format.h"
#include "scheduler/recording/record.h"

namespace berth::scheduler::recording {

// Takes the bytes of a recording, in order. An error is told with the name of the file.
using RecordSink = std::function<Status(std::string_view bytes)>;

class RecordWriter {
 public:
  // Writes the beginning of the recording.
  RecordWriter(const RecordingHeader& header, RecordSink sink);

  void Append(const Record& record);
  // Ends the recording in order; nothing may follow.
  void Close();

  uint64_t records() const { return records_; }
  // The first failure of the sink; nothing is written after it.
  const Status& status() const { return status_; }

 private:
  void AppendFrame(std::string_view plain);

  RecordSink sink_;
  Deflater deflater_;
  RecordCodec codec_;
  uint64_t records_ = 0;
  bool closed_ = false;
  Status status_;
};

// RecordReader reads a recording record by record, as far as it is whole.
// Fills `into` from its beginning with the next bytes of a recording and returns how many there
// were; fewer than asked for only at the end. An error is told with the name of the file.
using RecordSource = std::function<Result<size_t>(std::span<char> into)>;

// How a recording ends.
struct RecordingEnd {
  enum class Kind {
    kClosed,     // In order.
    kNotClosed,  // After a whole record, but not in order: the program that wrote it was stopped.
    kCutOff,     // In the middle of a record.
    kDamaged,    // What follows is not what was written.
    kFailed,     // What follows could not be read.
  };
  Kind kind = Kind::kClosed;
  uint64_t records = 0;  // Whole ones.
  uint64_t byte = 0;     // Where they end.
  std::string why;       // If damaged or failed.

  // For people: "cut off after record 17 at byte 4711".
  std::string ToString() const;
};

class RecordReader {
 public:
  // Reads the beginning. Fails if it is not that of a recording, of another version or damaged.
  static Result<std::unique_ptr<RecordReader>> Open(RecordSource source);

  const RecordingHeader& header() const { return header_; }
  // The next record, or nothing at the end of what is whole.
  std::optional<Record> Next();
  // How many records were read; the last one has this number.
  uint64_t records() const { return end_.records; }
  // After Next gave nothing.
  const RecordingEnd& end() const { return end_; }

 private:
  explicit RecordReader(RecordSource source) : source_(std::move(source)) {}

  // Up to `size` bytes; fewer at the end.
  Result<std::string> Read(size_t size);
  // The plain content of the next frame, or nothing: end_ then says why.
  std::optional<std::string> NextFrame();
  std::optional<std::string> ReadContent(const FrameHeader& frame);
  std::nullopt_t EndWith(RecordingEnd::Kind kind, std::string why = "");
  void CheckClosing(const FrameHeader& frame);

  RecordSource source_;
  Inflater inflater_;
  RecordCodec codec_;
  RecordingHeader header_;
  uint64_t position_ = 0;
  bool ended_ = false;
  RecordingEnd end_;
};

}  // namespace berth::scheduler::recording
