// Recordings as files.
#pragma once

#include <string>

#include "base/result.h"
#include "record/reader.h"
#include "record/writer.h"

namespace berth {

// Creates the file, or empties it. Every record reaches the operating system at once, so that a
// program that crashes leaves all of them.
Result<RecordSink> CreateRecordingFile(const std::string& path);

// "-" is standard input.
Result<RecordSource> OpenRecordingFile(const std::string& path);

}  // namespace berth
