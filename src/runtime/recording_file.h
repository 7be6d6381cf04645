// Recordings as files.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "scheduler/recording/recording.h"

namespace berth::runtime {

// Creates the file, or empties it. Every record reaches the operating system at once, so that a
// program that crashes leaves all of them.
Result<scheduler::recording::RecordSink> CreateRecordingFile(const std::string& path);

// Starts a recording in the file. Null if `path` is empty: none is wanted.
Result<std::unique_ptr<scheduler::recording::RecordWriter>> StartRecording(
    const std::string& path, const scheduler::recording::RecordingHeader& header);

// "-" is standard input.
Result<scheduler::recording::RecordSource> OpenRecordingFile(const std::string& path);

}  // namespace berth::runtime
