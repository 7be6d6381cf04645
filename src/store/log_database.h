// LogDatabase is the file behind the SQLite journal: the table `log` with a row per version, the
// collections with how far each was compacted, and which versions have been reserved.
//
//   sqlite3 DIRECTORY/berth.db "select version, name, json from log"
//
// shows what is in it once Berth has ended. For one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "store/data_directory.h"
#include "store/journal.h"
#include "store/sqlite.h"

namespace berth::store {

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

}  // namespace berth::store
