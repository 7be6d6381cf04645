#include "apiserver/store/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "apiserver/store/log_database.h"

namespace berth::apiserver::store {
namespace {

// The number of rows that a batch drops in addition to its writes, and the number of pending drops
// that starts a batch without writes. A step takes some milliseconds.
constexpr size_t kCompactionStep = 512;

// SqliteJournal writes the appended entries to a LogDatabase on one thread, batch by batch. The
// same thread reports them as durable: a thread of its own for that halves the writes per second on
// two processors, since each write waits for one more switch of threads.
class SqliteJournal final : public Journal {
 public:
  SqliteJournal(std::unique_ptr<LogDatabase> database, Version reserve)
      : database_(std::move(database)), reserve_(std::max<Version>(reserve, 1)) {}

  ~SqliteJournal() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    work_.notify_one();
    thread_.join();
    // If this fails, the next start skips the reserved versions.
    if (!failed_) static_cast<void>(database_->Finish(next_));
  }

  Result<Recovered> Recover() override { return database_->Recover(); }

  Status Replay(const std::function<Status(const JournalEntry&)>& entry) override {
    return database_->Replay(entry);
  }

  Status Start(Version next, std::function<void(Result<Version>)> durable) override {
    if (const Status started = database_->Start(next, next + reserve_); !started) return started;
    next_ = next;
    reserved_ = next + reserve_;
    durable_ = std::move(durable);
    thread_ = std::thread([this] { WriteAll(); });
    return {};
  }

  Version reserved() const override { return reserved_; }
  const std::string& name() const override { return database_->path(); }

  void Append(JournalEntry entry) override {
    {
      const std::lock_guard lock(mutex_);
      if (failed_) return;
      next_ = entry.object->version + 1;
      appended_.push_back(std::move(entry));
    }
    work_.notify_one();
  }

  void Compact(Compaction compaction) override {
    {
      const std::lock_guard lock(mutex_);
      if (failed_) return;
      to_drop_ += compaction.versions.size();
      compactions_.push_back(std::move(compaction));
      if (to_drop_ < kCompactionStep) return;
    }
    work_.notify_one();
  }

 private:
  // Waits for work; takes all appended entries and a step of compaction. Returns false at the end.
  bool TakeBatch(std::vector<JournalEntry>& entries, std::vector<Compaction>& compactions) {
    entries.clear();
    compactions.clear();
    std::unique_lock lock(mutex_);
    work_.wait(lock,
               [&] { return stopping_ || !appended_.empty() || to_drop_ >= kCompactionStep; });
    // The next start repeats the remaining compactions.
    if (stopping_ && appended_.empty()) return false;
    entries.swap(appended_);
    // Each write drops one event from the history, which has up to two rows.
    const size_t limit = kCompactionStep + 2 * entries.size();
    size_t taken = 0;
    while (!compactions_.empty() && taken < limit) {
      taken += compactions_.front().versions.size();
      compactions.push_back(std::move(compactions_.front()));
      compactions_.pop_front();
    }
    to_drop_ -= taken;
    return true;
  }

  void WriteAll() {
    std::vector<JournalEntry> entries;
    std::vector<Compaction> compactions;
    while (TakeBatch(entries, compactions)) {
      std::optional<Version> reserved;
      const Version last = entries.empty() ? 0 : entries.back().object->version;
      if (last + 1 + reserve_ / 2 >= reserved_) reserved = last + 1 + reserve_;
      if (const Status written = database_->Write(entries, compactions, reserved); !written) {
        Fail(written.error());
        return;
      }
      if (reserved) reserved_ = *reserved;
      if (last != 0) durable_(last);
    }
  }

  // What a failed transaction has left on the disk is unknown, and after a failed fsync the kernel
  // may discard what it could not write: only the next start can tell what is stored.
  void Fail(const Error& error) {
    {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      appended_.clear();
      compactions_.clear();
    }
    durable_(std::unexpected(
        Error{fmt::format("cannot write to {}; nothing more is stored until Berth is started again",
                          error.message)}));
  }

  std::unique_ptr<LogDatabase> database_;  // Used by the thread while it runs.
  const Version reserve_;
  std::function<void(Result<Version>)> durable_;
  std::atomic<Version> reserved_ = 0;

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<JournalEntry> appended_;
  std::deque<Compaction> compactions_;
  size_t to_drop_ = 0;  // Rows in `compactions_`.
  Version next_ = 0;    // The version after the last one appended.
  bool stopping_ = false;
  bool failed_ = false;

  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& directory, Version reserve) {
  Result<std::unique_ptr<LogDatabase>> database = LogDatabase::Open(directory);
  if (!database) return std::unexpected(database.error());
  return std::make_unique<SqliteJournal>(std::move(*database), reserve);
}

}  // namespace berth::apiserver::store
