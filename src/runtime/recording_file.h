// Files of recordings: creates and opens them.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "scheduler/recording/recording.h"

namespace berth::runtime {

// Creates or truncates the file. Every record is passed to the operating system at once, so that
// none is lost if the program crashes.
Result<scheduler::recording::RecordSink> CreateRecordingFile(const std::string& path);

// Starts a recording in the file. Returns null if `path` is empty.
Result<std::unique_ptr<scheduler::recording::RecordWriter>> StartRecording(
    const std::string& path, const scheduler::recording::RecordingHeader& header);

// Opens a recording; "-" is standard input.
Result<scheduler::recording::RecordSource> OpenRecordingFile(const std::string& path);

}  // namespace berth::runtime
