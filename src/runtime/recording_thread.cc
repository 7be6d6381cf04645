#include "runtime/recording_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "observability/thread_stacks.h"

namespace berth::runtime {

using scheduler::recording::Record;
using scheduler::recording::RecordingHeader;
using scheduler::recording::RecordWriter;

Result<std::unique_ptr<RecordingThread>> RecordingThread::Start(const RecordingHeader& header,
                                                                RecordingOptions options) {
  std::unique_ptr<RecordingThread> recording(new RecordingThread(header, std::move(options)));
  if (Status opened = recording->OpenPart(); !opened) return std::unexpected(opened.error());
  recording->thread_ = std::thread([raw = recording.get()] { raw->Run(); });
  return recording;
}

RecordingThread::~RecordingThread() { Close(); }

// Moves the file at the path, of an earlier part or an earlier recording, out of the way.
Status RecordingThread::OpenPart() {
  if (Status rotated = RotateRecordings(options_.path, options_.files); !rotated) return rotated;
  auto file = RecordingFile::Create(options_.path);
  if (!file) return std::unexpected(file.error());
  file_ = *std::move(file);
  ++parts_;
  writer_ = std::make_unique<RecordWriter>(header_,
                                           [this, file = file_](std::string_view bytes) -> Status {
                                             Status written = file->Write(bytes);
                                             if (written) bytes_ += bytes.size();
                                             return written;
                                           });
  return {};
}

void RecordingThread::Append(Record record) {
  bool wakes = false, overflows = false;
  {
    const std::lock_guard lock(mutex_);
    overflows = !failed_ && appended_ - taken_ >= options_.max_waiting;
    ++appended_;
    if (failed_ || overflows) {
      ++taken_;
    } else {
      wakes = waiting_.empty();
      waiting_.push_back(std::move(record));
    }
  }
  if (wakes) changed_.notify_one();
  if (overflows) {
    FailWith(fmt::format("{}: it is written too slowly: {} records wait", options_.path,
                         options_.max_waiting));
  }
}

void RecordingThread::Run() {
  observability::EnterThread("recording");
  // The header was written.
  if (const Status& status = writer_->status(); !status) FailWith(status.error().message);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Record> records = std::exchange(waiting_, {});
    lock.unlock();
    WriteAll(std::move(records));
    lock.lock();
  }
}

void RecordingThread::WriteAll(std::vector<Record> records) {
  for (Record& record : records) {
    if (!failed_) {
      writer_->Append(std::move(record));
      if (const Status& status = writer_->status(); !status) {
        FailWith(status.error().message);
      } else {
        ++records_;
        if (options_.part_bytes > 0 && file_->size() >= options_.part_bytes) NextPart();
      }
    }
    ++taken_;
  }
}

void RecordingThread::NextPart() {
  writer_->Close();
  if (const Status& status = writer_->status(); !status) return FailWith(status.error().message);
  ++header_.part;
  if (const Status opened = OpenPart(); !opened) FailWith(opened.error().message);
}

void RecordingThread::FailWith(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.exchange(true)) return;
    failure_ = reason;
  }
  options_.on_failure(reason);
}

void RecordingThread::Close() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closing_, true)) return;
  }
  if (!thread_.joinable()) return;  // It was not started.
  changed_.notify_one();
  thread_.join();
  if (failed_) return;
  writer_->Close();
  if (const Status& status = writer_->status(); !status) FailWith(status.error().message);
}

RecordingCounts RecordingThread::counts() const {
  RecordingCounts counts;
  counts.records = records_;
  counts.bytes = bytes_;
  counts.parts = parts_;
  const uint64_t taken = taken_;
  counts.waiting = appended_ - std::min<uint64_t>(appended_, taken);
  counts.lost = taken - std::min(taken, counts.records);
  counts.failed = failed_;
  return counts;
}

std::string RecordingThread::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace berth::runtime
