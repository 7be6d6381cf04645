// LogDatabase is the file of the SQLite journal, with the directory lock and the row format.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/store/journal.h"
#include "apiserver/store/sqlite.h"
#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

// DataDirectory is a directory locked by this process.
class DataDirectory {
 public:
  // Creates the directory durably if it is missing.
  static Result<DataDirectory> Open(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();  // Unlocks it.

  const std::string& path() const { return path_; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // The descriptor that holds the lock.
};

// LogRow is a journal entry as columns of the database.
//
// Each row has a checksum over all its columns, since SQLite has none and a damaged object must be
// detected.
struct LogRow {
  int64_t version = 0;
  int64_t collection = 0;
  int64_t deleted = 0;
  int64_t version_at = 0;
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view labels;  // In the format of WriteLabels.
  std::string_view fields;
  std::string_view json;

  int64_t Checksum() const;
  // Returns the object, or null if labels or fields are malformed.
  ObjectPtr Read() const;
};

// Concatenates strings, each prefixed by its length: "3:app,5:berth,". Labels are written as key,
// value, key, value.
std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels);
std::string WriteList(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> ReadList(std::string_view list);

// LogDatabase has the table `log` with a row per version, the table `collections` with the
// compacted version of each, and the table `state` with the reserved versions.
//
//   sqlite3 DIRECTORY/berth.db "select version, name, json from log"
//
// shows the content when Berth is not running. Used by one thread at a time.
class LogDatabase {
 public:
  // Checks the whole file if it was not closed cleanly.
  static Result<std::unique_ptr<LogDatabase>> Open(const std::string& directory);

  const std::string& path() const { return database_->path(); }

  Result<Recovered> Recover();
  Status Replay(const std::function<Status(const JournalEntry&)>& entry);

  // Reserves the versions in [next, reserved); the database counts as not closed cleanly until
  // Finish.
  Status Start(Version next, Version reserved);
  // Writes everything to disk in one transaction.
  Status Write(std::span<const JournalEntry> entries, std::span<const Compaction> compactions,
               std::optional<Version> reserved);
  // Marks the database as closed cleanly; the next version to assign is `next`.
  Status Finish(Version next);

 private:
  LogDatabase(DataDirectory directory, std::unique_ptr<Database> database)
      : directory_(std::move(directory)), database_(std::move(database)) {}

  Status Prepare();
  Status CheckKind();
  Status CreateTables();
  Status CheckIntegrity();
  Status WriteRows(std::span<const JournalEntry> entries, std::span<const Compaction> compactions,
                   std::optional<Version> reserved);
  Status Insert(const JournalEntry& entry);
  Status Drop(const Compaction& compaction);
  Result<int64_t> IdOf(std::string_view collection);

  DataDirectory directory_;
  std::unique_ptr<Database> database_;
  std::map<std::string, int64_t, std::less<>> collections_;
  std::optional<Statement> insert_;
  std::optional<Statement> delete_;
};

}  // namespace berth::apiserver::store
