// Files of recordings: creates, rotates and opens them.
//
// A recording at `path` that consists of several parts has the last one there, the one before in
// `path`.1, and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scheduler/recording/recording.h"

namespace berth::runtime {

// RecordingFile is a file that a recording, or a part of it, is written to. What was written is
// with the operating system: it is not lost if the program crashes.
class RecordingFile {
 public:
  // Creates or truncates the file.
  static Result<std::unique_ptr<RecordingFile>> Create(const std::string& path);
  ~RecordingFile();
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  // Writes all bytes or, if it fails, none: a regular file is cut back to what it was.
  Status Write(std::string_view bytes);
  uint64_t size() const { return size_; }

 private:
  RecordingFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  const std::string path_;
  const int descriptor_;
  uint64_t size_ = 0;
};

// Renames the file at `path` to `path`.1, that to `path`.2 and so on, so that there are at most
// `files` with the one that is created next. Anything but a regular file is left alone.
Status RotateRecordings(const std::string& path, size_t files);

// Starts a recording in one file. Returns null if `path` is empty.
Result<std::unique_ptr<scheduler::recording::RecordWriter>> StartRecording(
    const std::string& path, const scheduler::recording::RecordingHeader& header);

// Opens a recording, from its first part to `path`; "-" is standard input, which has one part. The
// error names the file.
Result<std::unique_ptr<scheduler::recording::RecordReader>> OpenRecording(const std::string& path);
// Opens the part in that file alone.
Result<std::unique_ptr<scheduler::recording::RecordReader>> OpenRecordingPart(
    const std::string& path);

}  // namespace berth::runtime
