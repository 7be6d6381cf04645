// RecordWriter and RecordReader write and read recordings through a sink or source of bytes.
//
// A recording may consist of several parts, each a sequence of bytes of its own that is valid
// without the others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scheduler/recording/file_format.h"
#include "scheduler/recording/record.h"

namespace berth::scheduler::recording {

// Consumes the bytes of a recording, in order. Its error includes the name of the file.
using RecordSink = std::function<Status(std::string_view bytes)>;

// Recorder takes the records of an engine, in order.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Must not fail: errors concern the recording, not the engine.
  virtual void Append(Record record) = 0;
};

// RecordWriter writes records. Each is complete in the sink when Append returns; nothing is
// buffered.
class RecordWriter final : public Recorder {
 public:
  // Writes the magic, the version and the header.
  RecordWriter(const RecordingHeader& header, RecordSink sink);

  void Append(Record record) override;
  // Writes the closing frame; nothing may follow.
  void Close();

  uint64_t records() const { return records_; }
  // Returns the first error of the sink; nothing is written after it.
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

// Fills `into` with the next bytes of a recording and returns their number, which is less than
// requested only at the end. Its error includes the name of the file.
using RecordSource = std::function<Result<size_t>(std::span<char> into)>;

// How a recording ends.
struct RecordingEnd {
  enum class Kind {
    kClosed,     // With the closing frame.
    kNotClosed,  // After a complete record: the program that wrote it was stopped.
    kCutOff,     // In the middle of a record.
    kDamaged,    // With data that fails a check.
    kFailed,     // With a read error.
  };
  Kind kind = Kind::kClosed;
  uint64_t records = 0;  // Complete ones.
  uint64_t byte = 0;     // Where they end, in that part.
  std::string why;       // The reason, if damaged or failed.
  uint64_t part = 1;     // The part in which it ends.

  // Returns a description for users: "cut off after record 17 at byte 4711".
  std::string ToString() const;
};

// RecordReader reads the complete records of a recording.
class RecordReader {
 public:
  // Reads up to the header. Fails if the file is not a recording, has another version or is
  // damaged. Reads `later_parts` after it, which must be the parts that follow.
  static Result<std::unique_ptr<RecordReader>> Open(RecordSource source,
                                                    std::vector<RecordSource> later_parts = {});

  // That of the first part.
  const RecordingHeader& header() const { return header_; }
  // Returns the next record, or nullopt after the last complete one.
  std::optional<Record> Next();
  // Returns how many records were read, which is also the number of the last one.
  uint64_t records() const { return end_.records; }
  // How the recording ends. Valid after Next returned nullopt.
  const RecordingEnd& end() const { return end_; }

 private:
  RecordReader(RecordSource source, std::vector<RecordSource> later_parts)
      : source_(std::move(source)), later_parts_(std::move(later_parts)) {}

  // Reads the start of a part.
  Result<RecordingHeader> ReadStart();
  // Goes on with the next part. Returns false if there is none, or it is not the one that follows.
  bool OpenNextPart();

  // Returns up to `size` bytes; fewer at the end.
  Result<std::string> Read(size_t size);
  // Returns the decompressed content of the next frame; nullopt at the end, with the reason in
  // end_.
  std::optional<std::string> NextFrame();
  std::optional<std::string> ReadContent(const FrameHeader& frame);
  std::nullopt_t EndWith(RecordingEnd::Kind kind, std::string why = "");
  void CheckClosing(const FrameHeader& frame);

  RecordSource source_;
  std::vector<RecordSource> later_parts_;
  size_t next_part_ = 0;  // In later_parts_.
  std::unique_ptr<Inflater> inflater_ = std::make_unique<Inflater>();
  RecordCodec codec_;
  RecordingHeader header_;
  uint64_t position_ = 0;
  uint64_t part_records_ = 0;  // Of the current part.
  bool ended_ = false;
  RecordingEnd end_;
};

}  // namespace berth::scheduler::recording
