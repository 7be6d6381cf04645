// How a LogDatabase is opened: creating the file, or checking that an existing one is intact.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "apiserver/store/log_database.h"

namespace berth::apiserver::store {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kApplication = 0x42657274;  // "Bert", the application ID that file(1) shows.
constexpr int64_t kFormat = 2;                // 1 had no totals: it did not notice missing rows.

// WAL and FULL: a commit is on disk when it returns. The write-ahead log is copied into the file at
// about 16 MiB. No other process can read while this one writes. The size of the cache is set here
// because its default is in the file, where it may be damaged.
constexpr const char* kSettings =
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA busy_timeout = 1000;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA cache_size = -2000;"
    "PRAGMA wal_autocheckpoint = 4096;"
    "PRAGMA journal_size_limit = 67108864;";

constexpr std::string_view kCollectionsTable =
    "CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    "                          floor INTEGER)";
constexpr std::string_view kLogTable =
    "CREATE TABLE log (version INTEGER PRIMARY KEY, collection INTEGER NOT NULL,"
    "                  namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL,"
    "                  deleted INTEGER NOT NULL, version_at INTEGER NOT NULL,"
    "                  labels TEXT NOT NULL, fields TEXT NOT NULL, json TEXT NOT NULL,"
    "                  checksum INTEGER NOT NULL)";
constexpr std::string_view kStateTable =
    "CREATE TABLE state (identity INTEGER NOT NULL, first INTEGER NOT NULL,"
    "                    reserved INTEGER NOT NULL, last INTEGER NOT NULL,"
    "                    rows INTEGER NOT NULL, digest INTEGER NOT NULL,"
    "                    collections INTEGER NOT NULL, checksum INTEGER NOT NULL)";
constexpr std::string_view kStateTable1 =
    "CREATE TABLE state (first INTEGER NOT NULL, reserved INTEGER NOT NULL,"
    "                    clean INTEGER NOT NULL)";

// Reports whether the file exists and has content.
bool HasContent(const std::string& file) {
  std::error_code missing;
  return fs::file_size(file, missing) > 0 && !missing;
}

Status MakeTables(Database& database) {
  if (const Status set = database.Execute(kSettings); !set) return set;
  const Result<std::string> mode = database.QueryText("PRAGMA journal_mode = WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") {
    return Fail(fmt::format("{}: the write-ahead log cannot be used there (mode \"{}\")",
                            database.path(), *mode));
  }
  const Result<int64_t> identity = database.QueryInteger("SELECT random()");
  if (!identity) return std::unexpected(identity.error());
  const LogState state{.identity = *identity, .totals = {}};
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {}; {}; {}; INSERT INTO state VALUES ({}, 0, 0, 0, 0, 0, 0, {});"
      "PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT",
      kCollectionsTable, kLogTable, kStateTable, *identity, state.Checksum(), kApplication,
      kFormat);
  return database.Execute(sql.c_str());
}

// Creates an empty database under another name and renames it, so that an incomplete file is never
// mistaken for an empty store.
Status CreateDatabase(const DataDirectory& directory, const std::string& file) {
  const std::string unfinished = file + ".new";
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-journal"}) fs::remove(unfinished + suffix, ignored);
  {
    const Result<std::unique_ptr<Database>> database = Database::Open(unfinished);
    if (!database) return std::unexpected(database.error());
    if (const Status made = MakeTables(**database); !made) return made;
    if (const Status copied = (*database)->Checkpoint(); !copied) return copied;
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) {
    return Fail(fmt::format("cannot create {}: {}", file, std::strerror(errno)));
  }
  return directory.Sync();
}

}  // namespace

Result<std::unique_ptr<LogDatabase>> LogDatabase::Open(const std::string& directory) {
  Result<DataDirectory> locked = DataDirectory::Open(directory);
  if (!locked) return std::unexpected(locked.error());
  const std::string file = locked->path() + "/berth.db";
  std::error_code error;
  const bool exists = fs::exists(file, error);
  if (!HasContent(file) && !fs::is_directory(file, error)) {
    const std::string what = exists ? "empty" : "missing";
    // SQLite would discard the write-ahead log.
    if (HasContent(file + "-wal")) {
      return std::unexpected(Damaged(file, fmt::format("it is {}, but {}-wal is not", what, file)));
    }
    const AcknowledgedMark mark(locked->path() + "/acknowledged");
    if (const auto value = mark.Read(); value && value->version > 0) {
      return std::unexpected(Damaged(
          file, fmt::format("it is {}, but {} is from a store with objects", what, mark.path())));
    }
    if (exists) return std::unexpected(Damaged(file, "it is empty"));
    if (const Status created = CreateDatabase(*locked, file); !created) {
      return std::unexpected(created.error());
    }
  }
  Result<std::unique_ptr<Database>> database = Database::Open(file);
  if (!database) return std::unexpected(database.error());
  (*database)->KeepLogOnClose(true);
  std::unique_ptr<LogDatabase> log(new LogDatabase(std::move(*locked), std::move(*database)));
  if (const Status checked = log->Check(); !checked) return std::unexpected(checked.error());
  return log;
}

Status LogDatabase::Check() {
  Status status = database_->Execute(kSettings);
  if (status) status = CheckKind();
  if (status) status = CheckMark();
  if (status) status = PrepareStatements();
  return status;
}

Status LogDatabase::CheckKind() {
  const Result<int64_t> application = database_->QueryInteger("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  const Result<int64_t> format = database_->QueryInteger("PRAGMA user_version");
  if (!format) return std::unexpected(format.error());
  if (*application != kApplication) {
    return Fail(fmt::format("{} is a database of another program, not of Berth", path()));
  }
  if (*format < 1 || *format > kFormat) {
    return Fail(
        fmt::format("{} was written by a newer version of Berth: its format is {}, and this "
                    "version knows {}",
                    path(), *format, kFormat));
  }
  // In another mode SQLite would ignore the write-ahead log.
  const Result<std::string> mode = database_->QueryText("PRAGMA journal_mode");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") {
    return std::unexpected(Damaged(path(), fmt::format("its journal mode is \"{}\"", *mode)));
  }
  Status status = CheckTables(*format);
  if (status) status = CheckStructure();
  if (status) status = LoadCollections();
  if (!status) return status;
  return *format == kFormat ? LoadState() : Upgrade();
}

// A damaged definition could make SQLite read the rows in another way.
Status LogDatabase::CheckTables(int64_t format) {
  const std::map<std::string, std::string_view, std::less<>> want = {
      {"table collections", kCollectionsTable},
      {"table log", kLogTable},
      {"table state", format == kFormat ? kStateTable : kStateTable1},
      {"index sqlite_autoindex_collections_1", ""}};
  Result<Statement> rows = database_->Prepare("SELECT type || ' ' || name, sql FROM sqlite_schema");
  if (!rows) return std::unexpected(rows.error());
  size_t found = 0;
  while (true) {
    const Result<bool> more = rows->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    const auto known = want.find(rows->Text(0));
    if (known == want.end() || rows->Text(1) != known->second) {
      return std::unexpected(
          Damaged(path(), fmt::format("its {} is not as Berth creates it", rows->Text(0))));
    }
    ++found;
  }
  if (found == want.size()) return {};
  return std::unexpected(Damaged(path(), "tables are missing"));
}

Status LogDatabase::CheckStructure() {
  const Result<std::string> verdict = database_->QueryText("PRAGMA integrity_check(1)");
  if (!verdict) return std::unexpected(verdict.error());
  if (*verdict != "ok") return std::unexpected(Damaged(path(), *verdict));
  return {};
}

Status LogDatabase::LoadCollections() {
  Result<Statement> rows = database_->Prepare("SELECT id, name, floor FROM collections");
  if (!rows) return std::unexpected(rows.error());
  while (true) {
    const Result<bool> more = rows->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    collections_[std::string(rows->Text(1))] = {.id = rows->Integer(0), .floor = rows->Integer(2)};
  }
}

Status LogDatabase::LoadState() {
  Result<Statement> row = database_->Prepare(
      "SELECT identity, first, reserved, last, rows, digest, collections, checksum"
      " FROM state");
  if (!row) return std::unexpected(row.error());
  const Result<bool> found = row->Step();
  if (!found) return std::unexpected(found.error());
  state_ = {.identity = row->Integer(0),
            .first = row->Integer(1),
            .reserved = row->Integer(2),
            .last = row->Integer(3),
            .totals = {.rows = row->Integer(4), .digest = row->Integer(5)},
            .collections = row->Integer(6)};
  const bool intact = *found && row->Integer(7) == state_.Checksum();
  const Result<bool> another = row->Step();
  if (!another) return std::unexpected(another.error());
  if (!intact || *another) {
    return std::unexpected(Damaged(path(), "the table \"state\" is not as it was written"));
  }
  if (CollectionsChecksum() != state_.collections) {
    return std::unexpected(Damaged(path(), "the table \"collections\" is not as it was written"));
  }
  return {};
}

// Gives a database of format 1 the state that describes its present content.
Status LogDatabase::Upgrade() {
  Result<Statement> rows = database_->Prepare("SELECT version, checksum FROM log ORDER BY version");
  if (!rows) return std::unexpected(rows.error());
  while (true) {
    const Result<bool> more = rows->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    state_.totals.Add(rows->Integer(0), rows->Integer(1));
    state_.last = rows->Integer(0);
  }
  const Result<int64_t> identity = database_->QueryInteger("SELECT random()");
  const Result<int64_t> first = database_->QueryInteger("SELECT first FROM state");
  const Result<int64_t> reserved = database_->QueryInteger("SELECT reserved FROM state");
  for (const auto* value : {&identity, &first, &reserved}) {
    if (!*value) return std::unexpected(value->error());
  }
  state_.identity = *identity;
  state_.first = *first;
  state_.reserved = *reserved;
  state_.collections = CollectionsChecksum();
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; DROP TABLE state; {};"
      "INSERT INTO state VALUES ({}, {}, {}, {}, {}, {}, {}, {});"
      "PRAGMA user_version = {}; COMMIT",
      kStateTable, state_.identity, state_.first, state_.reserved, state_.last, state_.totals.rows,
      state_.totals.digest, state_.collections, state_.Checksum(), kFormat);
  return database_->Execute(sql.c_str());
}

Status LogDatabase::CheckMark() const {
  const auto mark = mark_.Read();
  if (!mark) return {};
  if (mark->database != state_.identity) {
    return Fail(fmt::format(
        "{} or {}-wal is from another data directory; put back the right one, or remove "
        "{} to use it",
        path(), path(), mark_.path()));
  }
  const auto last = static_cast<Version>(state_.last);
  if (mark->version <= last) return {};
  return Fail(fmt::format(
      "{} has no writes after version {}, but those up to {} were acknowledged: it is an "
      "old copy, or {}-wal is missing or damaged; put back the right files, or remove {} "
      "to continue without these writes",
      path(), last, mark->version, path(), mark_.path()));
}

Status LogDatabase::PrepareStatements() {
  const auto prepare = [&](std::optional<Statement>& statement, std::string_view sql) -> Status {
    Result<Statement> prepared = database_->Prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    statement = std::move(*prepared);
    return {};
  };
  Status status = prepare(
      insert_,
      "INSERT INTO log (version, collection, namespace, name, uid, deleted, version_at, labels,"
      " fields, json, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (status) status = prepare(delete_, "DELETE FROM log WHERE version = ? RETURNING checksum");
  if (status) {
    status = prepare(save_,
                     "UPDATE state SET first = ?, reserved = ?, last = ?, rows = ?,"
                     " digest = ?, collections = ?, checksum = ?");
  }
  return status;
}

}  // namespace berth::apiserver::store
