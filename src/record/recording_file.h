// Recordings as files.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "record/reader.h"
#include "record/writer.h"

namespace berth {

// Creates the file, or empties it. Every record reaches the operating system at once, so that a
// program that crashes leaves all of them.
Result<RecordSink> CreateRecordingFile(const std::string& path);

// Starts a recording in the file. Null if `path` is empty: none is wanted.
Result<std::unique_ptr<RecordWriter>> StartRecording(const std::string& path,
                                                     const RecordingHeader& header);

// "-" is standard input.
Result<RecordSource> OpenRecordingFile(const std::string& path);

}  // namespace berth
