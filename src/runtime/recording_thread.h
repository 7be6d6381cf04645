// RecordingThread writes the recording of an engine to files, on a thread of its own: the engine's
// thread only queues records.
//
// A recording that cannot be written ends, with a reason: a full disk, or one that is too slow for
// what is recorded, never delays or ends the scheduler.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "runtime/recording_file.h"
#include "scheduler/recording/recording.h"

namespace berth::runtime {

struct RecordingOptions {
  std::string path;
  // A part that reaches this many bytes is its last: the next one begins. 0: one part without end.
  uint64_t part_bytes = 0;
  // Files to keep, those of earlier recordings at the same path included; at least 1.
  size_t files = 1;
  // Records that wait to be written. Beyond, the recording ends.
  size_t max_waiting = 524'288;
  // Called once, on any thread, if the recording ends before Close.
  std::function<void(const std::string& reason)> on_failure = [](const std::string&) {};
};

// What a recording has come to.
struct RecordingCounts {
  uint64_t records = 0;  // Written.
  uint64_t bytes = 0;    // Of all parts.
  uint64_t parts = 0;
  uint64_t lost = 0;   // Records that came after it had failed.
  size_t waiting = 0;  // Records that are not written yet.
  bool failed = false;
};

class RecordingThread final : public scheduler::recording::Recorder {
 public:
  // Fails if the file cannot be created.
  static Result<std::unique_ptr<RecordingThread>> Start(
      const scheduler::recording::RecordingHeader& header, RecordingOptions options);
  ~RecordingThread() override;  // Closes.

  // Never waits for the disk. One thread at a time.
  void Append(scheduler::recording::Record record) override;
  // Writes what waits and the end of the recording. Nothing may be appended after it.
  void Close();

  // Any thread.
  RecordingCounts counts() const;
  // Why it failed; empty if it has not.
  std::string failure() const;

  // Reports whether everything that was appended has been written, or never will be.
  // Async-signal-safe: a crash waits for it.
  bool is_drained() const { return failed_.load() || appended_.load() == taken_.load(); }

 private:
  RecordingThread(const scheduler::recording::RecordingHeader& header, RecordingOptions options)
      : options_(std::move(options)), header_(header) {}

  Status OpenPart();
  void Run();
  void WriteAll(std::vector<scheduler::recording::Record> records);
  void NextPart();
  void FailWith(const std::string& reason);

  const RecordingOptions options_;
  // Used on the recording's thread once that runs.
  scheduler::recording::RecordingHeader header_;
  std::shared_ptr<RecordingFile> file_;
  std::unique_ptr<scheduler::recording::RecordWriter> writer_;

  std::atomic<bool> failed_ = false;
  std::atomic<uint64_t> appended_ = 0;  // Records.
  std::atomic<uint64_t> taken_ = 0;     // Records that were written, or lost.
  std::atomic<uint64_t> records_ = 0, bytes_ = 0, parts_ = 0;
  mutable std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::vector<scheduler::recording::Record> waiting_;
  bool closing_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace berth::runtime
