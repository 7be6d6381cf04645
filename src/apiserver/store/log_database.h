// DataDirectory is a directory that one process at a time may have.
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

class DataDirectory {
 public:
  // Creates the directory if it is missing, such that it survives a loss of power.
  static Result<DataDirectory> Open(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();  // Gives it free.

  const std::string& path() const { return path_; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // The descriptor that holds the lock.
};

// LogRow turns an entry of the journal into columns of the database and back.
//
// Each row has a checksum over all its columns, since SQLite has none and a damaged object must not
// pass for a good one.
struct LogRow {
  int64_t version = 0;
  int64_t collection = 0;
  int64_t deleted = 0;
  int64_t version_at = 0;
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view labels;  // As WriteList makes them: key, value, key, value ...
  std::string_view fields;
  std::string_view json;

  int64_t Checksum() const;
  // The object, or null if labels or fields cannot be read.
  ObjectPtr Read() const;
};

// Texts as one, each after its length: "3:app,5:berth,".
std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels);
std::string WriteList(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> ReadList(std::string_view list);

// LogDatabase is the file behind the SQLite journal: the table `log` with a row per version, the
// collections with how far each was compacted, and which versions have been reserved.
//
//   sqlite3 DIRECTORY/berth.db "select version, name, json from log"
//
// shows what is in it once Berth has ended. For one thread at a time.
class LogDatabase {
 public:
  // Checks the whole file if it was not closed properly.
  static Result<std::unique_ptr<LogDatabase>> Open(const std::string& directory);

  const std::string& path() const { return database_->path(); }

  Result<Recovered> Recover();
  Status Replay(const std::function<Status(const JournalEntry&)>& entry);

  // From now on versions from `next` up to but without `reserved` may be handed out, and the
  // database counts as not closed properly until Finish.
  Status Start(Version next, Version reserved);
  // All of it reaches the disk, or nothing.
  Status Write(std::span<const JournalEntry> entries, std::span<const Compaction> compactions,
               std::optional<Version> reserved);
  // The next version to be handed out will be `next`.
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
