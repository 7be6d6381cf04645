#include "store/log_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "store/log_row.h"

namespace berth::store {
namespace {

constexpr int64_t kApplication = 0x42657274;  // "Bert", where file(1) looks for it.
constexpr int64_t kSchema = 1;

// WAL and FULL: a commit is on the disk when it returns. The write-ahead log is copied into the
// file when it has some 16 MiB. No other process may look in while this one writes.
constexpr const char* kSettings =
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA busy_timeout = 1000;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA wal_autocheckpoint = 4096;"
    "PRAGMA journal_size_limit = 67108864;";

constexpr const char* kTables =
    "CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    "                          floor INTEGER);"
    "CREATE TABLE log (version INTEGER PRIMARY KEY, collection INTEGER NOT NULL,"
    "                  namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL,"
    "                  deleted INTEGER NOT NULL, version_at INTEGER NOT NULL,"
    "                  labels TEXT NOT NULL, fields TEXT NOT NULL, json TEXT NOT NULL,"
    "                  checksum INTEGER NOT NULL);"
    // One row: the first version ever, the versions below which all may have been handed out, and
    // whether the file was closed properly.
    "CREATE TABLE state (first INTEGER NOT NULL, reserved INTEGER NOT NULL,"
    "                    clean INTEGER NOT NULL);"
    "INSERT INTO state VALUES (0, 0, 1);";

}  // namespace

Result<std::unique_ptr<LogDatabase>> LogDatabase::Open(const std::string& directory) {
  Result<DataDirectory> locked = DataDirectory::Open(directory);
  if (!locked) return std::unexpected(locked.error());
  const std::string file = locked->path() + "/berth.db";
  // SQLite takes an empty file for a new database and throws its write-ahead log away.
  std::error_code missing;
  if (std::filesystem::file_size(file, missing) == 0 && !missing &&
      std::filesystem::file_size(file + "-wal", missing) > 0 && !missing) {
    return Fail(fmt::format("{} is damaged: it is empty, but {}-wal is not", file, file));
  }
  Result<std::unique_ptr<Database>> database = Database::Open(file);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<LogDatabase> log(new LogDatabase(std::move(*locked), std::move(*database)));
  if (const Status prepared = log->Prepare(); !prepared) return std::unexpected(prepared.error());
  return log;
}

Status LogDatabase::Prepare() {
  Status status = database_->Execute(kSettings);
  if (status) status = CheckKind();
  if (status) status = CheckIntegrity();
  if (!status) return status;
  Result<Statement> insert = database_->Prepare(
      "INSERT INTO log (version, collection, namespace, name, uid, deleted, version_at, labels,"
      " fields, json, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  insert_ = std::move(*insert);
  Result<Statement> erase = database_->Prepare("DELETE FROM log WHERE version = ?");
  if (!erase) return std::unexpected(erase.error());
  delete_ = std::move(*erase);
  return {};
}

Status LogDatabase::CheckKind() {
  const Result<int64_t> application = database_->QueryInteger("PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  const Result<int64_t> schema = database_->QueryInteger("PRAGMA user_version");
  if (!schema) return std::unexpected(schema.error());
  const Result<int64_t> tables = database_->QueryInteger("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());

  if (*tables == 0 && *application == 0) return CreateTables();
  if (*application != kApplication) {
    return Fail(fmt::format("{} is a database of another program, not of Berth", path()));
  }
  if (*schema != kSchema) {
    return Fail(
        fmt::format("{} was written by a newer version of Berth: its format is {}, and this "
                    "version knows {}",
                    path(), *schema, kSchema));
  }
  return {};
}

Status LogDatabase::CreateTables() {
  const Result<std::string> mode = database_->QueryText("PRAGMA journal_mode = WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") {
    return Fail(
        fmt::format("{}: no write-ahead log can be kept there (mode \"{}\")", path(), *mode));
  }
  const std::string sql = fmt::format(
      "BEGIN IMMEDIATE; {} PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", kTables,
      kApplication, kSchema);
  return database_->Execute(sql.c_str());
}

Status LogDatabase::CheckIntegrity() {
  const Result<int64_t> clean = database_->QueryInteger("SELECT clean FROM state");
  if (!clean) return std::unexpected(clean.error());
  if (*clean != 0) return {};
  const Result<std::string> verdict = database_->QueryText("PRAGMA quick_check(1)");
  if (!verdict) return std::unexpected(verdict.error());
  if (*verdict != "ok") return Fail(fmt::format("{} is damaged: {}", path(), *verdict));
  return {};
}

Result<Recovered> LogDatabase::Recover() {
  Recovered recovered;
  Result<Statement> state = database_->Prepare(
      "SELECT first, max(reserved, (SELECT coalesce(max(version) + 1, 0) FROM log)) FROM state");
  if (!state) return std::unexpected(state.error());
  const Result<bool> row = state->Step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return Fail(fmt::format("{} is damaged: the table \"state\" is empty", path()));
  recovered.first = static_cast<Version>(state->Integer(0));
  recovered.next = static_cast<Version>(state->Integer(1));

  Result<Statement> collections =
      database_->Prepare("SELECT id, name, floor FROM collections WHERE floor IS NOT NULL");
  if (!collections) return std::unexpected(collections.error());
  while (true) {
    const Result<bool> more = collections->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return recovered;
    recovered.floors[std::string(collections->Text(1))] =
        static_cast<Version>(collections->Integer(2));
  }
}

Status LogDatabase::Replay(const std::function<Status(const JournalEntry&)>& entry) {
  Result<Statement> rows = database_->Prepare(
      "SELECT version, collection, namespace, log.name, uid, deleted, version_at, labels, fields,"
      " json, checksum, collections.name"
      " FROM log LEFT JOIN collections ON collections.id = collection ORDER BY version");
  if (!rows) return std::unexpected(rows.error());
  while (true) {
    const Result<bool> more = rows->Step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    const LogRow row{.version = rows->Integer(0),
                     .collection = rows->Integer(1),
                     .deleted = rows->Integer(5),
                     .version_at = rows->Integer(6),
                     .namespace_ = rows->Text(2),
                     .name = rows->Text(3),
                     .uid = rows->Text(4),
                     .labels = rows->Text(7),
                     .fields = rows->Text(8),
                     .json = rows->Text(9)};
    const ObjectPtr object = row.Checksum() == rows->Integer(10) ? row.Read() : nullptr;
    if (object == nullptr || rows->Text(11).empty()) {
      return Fail(
          fmt::format("{} is damaged: the entry of version {} ({} {}/{}) is not as it was "
                      "written",
                      path(), row.version, rows->Text(11), row.namespace_, row.name));
    }
    const Status taken =
        entry({.collection = rows->Text(11), .deleted = row.deleted != 0, .object = object});
    if (!taken) return taken;
  }
}

Status LogDatabase::Start(Version next, Version reserved) {
  const std::string sql =
      fmt::format("UPDATE state SET first = iif(first = 0, {}, first), reserved = {}, clean = 0",
                  next, reserved);
  return database_->Execute(sql.c_str());
}

Status LogDatabase::Finish(Version next) {
  return database_->Execute(fmt::format("UPDATE state SET reserved = {}, clean = 1", next).c_str());
}

Status LogDatabase::Write(std::span<const JournalEntry> entries,
                          std::span<const Compaction> compactions,
                          std::optional<Version> reserved) {
  Status status = database_->Execute("BEGIN IMMEDIATE");
  if (status) status = WriteRows(entries, compactions, reserved);
  if (status) status = database_->Execute("COMMIT");
  // After some errors SQLite has rolled back already, and this one fails.
  if (!status) static_cast<void>(database_->Execute("ROLLBACK"));
  return status;
}

Status LogDatabase::WriteRows(std::span<const JournalEntry> entries,
                              std::span<const Compaction> compactions,
                              std::optional<Version> reserved) {
  for (const JournalEntry& entry : entries) {
    if (const Status inserted = Insert(entry); !inserted) return inserted;
  }
  for (const Compaction& compaction : compactions) {
    if (const Status dropped = Drop(compaction); !dropped) return dropped;
  }
  if (!reserved) return {};
  return database_->Execute(fmt::format("UPDATE state SET reserved = {}", *reserved).c_str());
}

Status LogDatabase::Insert(const JournalEntry& entry) {
  const Result<int64_t> collection = IdOf(entry.collection);
  if (!collection) return std::unexpected(collection.error());
  const Object& object = *entry.object;
  LogRow row{.version = static_cast<int64_t>(object.version),
             .collection = *collection,
             .deleted = entry.deleted ? 1 : 0,
             .version_at = 0,
             .namespace_ = object.key.namespace_,
             .name = object.key.name,
             .uid = object.uid,
             .labels = {},
             .fields = {},
             .json = {}};
  std::string labels, fields;
  if (!entry.deleted) {
    labels = WriteLabels(object.labels);
    fields = WriteList(object.fields);
    row.version_at = static_cast<int64_t>(object.version_at);
    row.labels = labels;
    row.fields = fields;
    row.json = object.json;
  }
  insert_->Bind(1, row.version).Bind(2, row.collection).Bind(3, row.namespace_);
  insert_->Bind(4, row.name).Bind(5, row.uid).Bind(6, row.deleted).Bind(7, row.version_at);
  insert_->Bind(8, row.labels).Bind(9, row.fields).Bind(10, row.json).Bind(11, row.Checksum());
  return insert_->Run();
}

Status LogDatabase::Drop(const Compaction& compaction) {
  for (const Version version : compaction.versions) {
    delete_->Bind(1, static_cast<int64_t>(version));
    if (const Status deleted = delete_->Run(); !deleted) return deleted;
  }
  const Result<int64_t> collection = IdOf(compaction.collection);
  if (!collection) return std::unexpected(collection.error());
  return database_->Execute(
      fmt::format("UPDATE collections SET floor = {} WHERE id = {}", compaction.floor, *collection)
          .c_str());
}

Result<int64_t> LogDatabase::IdOf(std::string_view collection) {
  const auto known = collections_.find(collection);
  if (known != collections_.end()) return known->second;
  // Its row is there from an earlier run, or is made now.
  Result<Statement> upsert = database_->Prepare(
      "INSERT INTO collections (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = name"
      " RETURNING id");
  if (!upsert) return std::unexpected(upsert.error());
  upsert->Bind(1, collection);
  const Result<bool> row = upsert->Step();
  if (!row) return std::unexpected(row.error());
  const int64_t id = upsert->Integer(0);
  if (const Status done = upsert->Run(); !done) return std::unexpected(done.error());
  collections_.emplace(collection, id);
  return id;
}

}  // namespace berth::store
