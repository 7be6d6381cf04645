// Recordings in memory, for tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/configuration.h"
#include "scheduler/config/print.h"
#include "scheduler/recording/recording.h"
#include "testing/require.h"

namespace berth::scheduler::recording {

inline RecordingHeader DefaultHeader(uint64_t seed = 0) {
  return {"a test", config::ToYaml(config::Default()), seed};
}

// Returns a sink that appends to `bytes`, which must outlive it.
inline RecordSink AppendTo(std::string& bytes) {
  return [&bytes](std::string_view more) -> Status {
    bytes += more;
    return {};
  };
}

inline RecordSource ReadFrom(std::string bytes) {
  auto rest = std::make_shared<std::pair<std::string, size_t>>(std::move(bytes), 0);
  return [rest](std::span<char> into) -> Result<size_t> {
    const size_t count = rest->first.copy(into.data(), into.size(), rest->second);
    rest->second += count;
    return count;
  };
}

inline std::unique_ptr<RecordReader> MustOpen(std::string bytes) {
  return Require(RecordReader::Open(ReadFrom(std::move(bytes))));
}

inline std::string RecordingOf(const std::vector<Record>& records,
                               const RecordingHeader& header = DefaultHeader()) {
  std::string bytes;
  RecordWriter writer(header, AppendTo(bytes));
  for (const Record& record : records) writer.Append(record);
  writer.Close();
  return bytes;
}

inline std::vector<Record> AllRecords(RecordReader& reader) {
  std::vector<Record> records;
  while (auto record = reader.Next()) records.push_back(*std::move(record));
  return records;
}

// Returns bytes that are equal exactly if the records are.
inline std::string BytesOf(const Record& record) { return RecordCodec().Encode(record); }

}  // namespace berth::scheduler::recording
