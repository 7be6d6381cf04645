// LogDatabase is the file of the SQLite journal: it stores rows and detects when they are not what
// was stored.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/store/data_directory.h"
#include "apiserver/store/journal.h"
#include "apiserver/store/log_row.h"
#include "apiserver/store/sqlite.h"
#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

// LogDatabase has the table `log` with a row per version, the table `collections` with the
// compacted version of each, and the table `state` with one row (LogState).
//
//   sqlite3 DIRECTORY/berth.db "select version, name, json from log"
//
// shows the content when Berth is not running.
//
// Open and Replay together verify everything that they return: SQLite checks the structure of the
// file, each row has a checksum, and `state` has the number and a digest of all rows. A file that
// is not intact is not modified.
//
// Used by one thread at a time.
class LogDatabase {
 public:
  // Creates the database if there is none. Checks the whole file, which takes about a second per
  // GiB.
  static Result<std::unique_ptr<LogDatabase>> Open(const std::string& directory);

  const std::string& path() const { return database_->path(); }

  Recovered Recover() const;
  // Verifies the rows; the last call of `entry` does not mean that they are complete.
  Status Replay(const std::function<Status(const JournalEntry&)>& entry);

  // Reserves the versions in [next, reserved).
  Status Start(Version next, Version reserved);
  // Writes everything to disk in one transaction. After an error the outcome is unknown until the
  // database is opened again, and nothing else may be written.
  Status Write(std::span<const JournalEntry> entries, std::span<const Compaction> compactions,
               std::optional<Version> reserved);
  // Gives back the reserved versions from `next` on. Nothing may be written afterwards.
  Status Finish(Version next);

 private:
  struct CollectionRow {
    int64_t id = 0;
    int64_t floor = 0;  // 0: never compacted.
  };

  LogDatabase(DataDirectory directory, std::unique_ptr<Database> database)
      : directory_(std::move(directory)),
        mark_(directory_.path() + "/acknowledged"),
        database_(std::move(database)) {}

  Status Check();
  Status CheckKind();
  Status CheckTables(int64_t format);
  Status CheckStructure();
  Status CheckMark() const;
  Status LoadCollections();
  Status LoadState();
  Status Upgrade();
  Status PrepareStatements();

  // Executes `change` and writes the resulting state, in one transaction.
  Status Commit(const std::function<Status(LogState&)>& change);
  Status SaveState(LogState& state);
  Status Insert(const JournalEntry& entry, LogState& state);
  Status Drop(const Compaction& compaction, LogState& state);
  Result<CollectionRow*> RowOf(std::string_view collection);
  int64_t CollectionsChecksum() const;

  DataDirectory directory_;
  AcknowledgedMark mark_;
  std::unique_ptr<Database> database_;
  LogState state_;
  std::map<std::string, CollectionRow, std::less<>> collections_;
  std::optional<Statement> insert_;
  std::optional<Statement> delete_;
  std::optional<Statement> save_;
};

}  // namespace berth::apiserver::store
