#include "apiserver/store/log_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>

namespace berth::apiserver::store {
namespace {

namespace fs = std::filesystem;

Status SyncDirectory(const fs::path& path) {
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = directory >= 0 && fsync(directory) == 0;
  const int error = errno;
  if (directory >= 0) close(directory);
  if (!synced)
    return Fail(fmt::format("cannot write to {}: {}", path.string(), std::strerror(error)));
  return {};
}

// Creates the directory and its parents. A new directory is durable once its parent is synced.
Status Create(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  const fs::path parent = path.parent_path();
  if (const Status created = Create(parent); !created) return created;
  if (mkdir(path.c_str(), 0700) != 0) {
    return Fail(fmt::format("cannot create directory {}: {}", path.string(), std::strerror(errno)));
  }
  return SyncDirectory(parent.empty() ? fs::path(".") : parent);
}

}  // namespace

Result<DataDirectory> DataDirectory::Open(const std::string& path) {
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  if (const Status created = Create(plain); !created) return std::unexpected(created.error());
  const std::string file = plain + "/lock";
  const int lock = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return Fail(fmt::format("cannot open {}: {}", file, std::strerror(errno)));
  DataDirectory directory(plain, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Fail(fmt::format("directory {} is in use by another berth process", plain));
    }
    return Fail(fmt::format("cannot lock {}: {}", file, std::strerror(errno)));
  }
  return directory;
}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

namespace {

void AppendText(std::string& list, std::string_view text) {
  fmt::format_to(std::back_inserter(list), "{}:{},", text.size(), text);
}

}  // namespace

std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string list;
  for (const auto& [key, value] : labels) {
    AppendText(list, key);
    AppendText(list, value);
  }
  return list;
}

std::string WriteList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) AppendText(list, text);
  return list;
}

std::optional<std::vector<std::string>> ReadList(std::string_view list) {
  std::vector<std::string> texts;
  while (!list.empty()) {
    size_t size = 0;
    const auto [at, error] = std::from_chars(list.data(), list.data() + list.size(), size);
    if (error != std::errc()) return std::nullopt;
    list.remove_prefix(static_cast<size_t>(at - list.data()));
    // A colon, the text, a comma.
    if (list.size() < 2 || list.size() - 2 < size || list[0] != ':' || list[size + 1] != ',') {
      return std::nullopt;
    }
    texts.emplace_back(list.substr(1, size));
    list.remove_prefix(size + 2);
  }
  return texts;
}

int64_t LogRow::Checksum() const {
  uLong sum = crc32_z(0, nullptr, 0);
  const auto add = [&](const void* data, size_t size) {
    sum = crc32_z(sum, static_cast<const Bytef*>(data), size);
  };
  const std::string_view texts[] = {namespace_, name, uid, labels, fields, json};
  for (const int64_t number : {version, collection, deleted, version_at})
    add(&number, sizeof number);
  for (const std::string_view text : texts) {
    const uint64_t size = text.size();
    add(&size, sizeof size);
    if (size > 0) add(text.data(), size);
  }
  return static_cast<int64_t>(sum);
}

ObjectPtr LogRow::Read() const {
  auto label_texts = ReadList(labels);
  auto field_texts = ReadList(fields);
  if (!label_texts || label_texts->size() % 2 != 0 || !field_texts) return nullptr;
  auto object = std::make_shared<Object>();
  object->key = {std::string(namespace_), std::string(name)};
  object->uid = uid;
  object->version = static_cast<Version>(version);
  for (size_t i = 0; i < label_texts->size(); i += 2) {
    object->labels.emplace_back(std::move((*label_texts)[i]), std::move((*label_texts)[i + 1]));
  }
  object->fields = std::move(*field_texts);
  object->json = json;
  object->version_at = static_cast<size_t>(version_at);
  return object;
}

namespace {

constexpr int64_t kApplication = 0x42657274;  // "Bert", the application ID that file(1) shows.
constexpr int64_t kSchema = 1;

// WAL and FULL: a commit is on disk when it returns. The write-ahead log is copied into the file at
// about 16 MiB. No other process can read while this one writes.
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
    // One row: the first version ever, the version below which all may have been assigned, and
    // whether the file was closed cleanly.
    "CREATE TABLE state (first INTEGER NOT NULL, reserved INTEGER NOT NULL,"
    "                    clean INTEGER NOT NULL);"
    "INSERT INTO state VALUES (0, 0, 1);";

}  // namespace

Result<std::unique_ptr<LogDatabase>> LogDatabase::Open(const std::string& directory) {
  Result<DataDirectory> locked = DataDirectory::Open(directory);
  if (!locked) return std::unexpected(locked.error());
  const std::string file = locked->path() + "/berth.db";
  // SQLite treats an empty file as a new database and discards its write-ahead log.
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
        fmt::format("{}: the write-ahead log cannot be used there (mode \"{}\")", path(), *mode));
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
  // After some errors SQLite has already rolled back, and this fails.
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
  // The row exists from an earlier run, or is inserted now.
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

}  // namespace berth::apiserver::store
