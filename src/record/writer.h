// RecordWriter appends records to a recording. Each is complete in what the sink was given when
// Append returns; nothing is held back.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "record/compression.h"
#include "record/record.h"

namespace berth {

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

}  // namespace berth
