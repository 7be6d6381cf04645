#include "apiserver/store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::apiserver::store {

namespace {

// No row is longer: the API server accepts objects of some MiB. A damaged length is an error.
constexpr int kMaxRowBytes = 64 << 20;

}  // namespace

Error Damaged(std::string_view file, std::string_view what) {
  return {
      fmt::format("{} is damaged: {}; restore the directory from a backup, or remove it to start "
                  "with an empty store",
                  file, what)};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Statement& Statement::Bind(int parameter, int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_.get(), parameter, value); code != SQLITE_OK) {
    bind_error_ = code;
  }
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  const char* data = text.empty() ? "" : text.data();
  if (const int code = sqlite3_bind_text64(statement_.get(), parameter, data, text.size(),
                                           SQLITE_STATIC, SQLITE_UTF8);
      code != SQLITE_OK) {
    bind_error_ = code;
  }
  return *this;
}

Result<bool> Statement::Step() {
  errno = 0;
  const int code = bind_error_ != SQLITE_OK ? bind_error_ : sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const Error error = database_->Describe(code);
  Reset();
  return std::unexpected(error);
}

Status Statement::Run() {
  while (true) {
    const Result<bool> row = Step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
  }
  Reset();
  return {};
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());  // Repeats the error of the step, which was already reported.
  bind_error_ = SQLITE_OK;
}

int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return Fail(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  close(file);

  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (handle == nullptr) return Fail(fmt::format("cannot open {}: no memory", path));
  std::unique_ptr<Database> database(new Database(path, handle));
  if (code != SQLITE_OK) return std::unexpected(database->Describe(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  return database;
}

Status Database::Execute(const char* sql) {
  errno = 0;
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(Describe(code));
  return {};
}

Result<Statement> Database::Prepare(std::string_view sql) {
  Statement statement;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (code != SQLITE_OK) return std::unexpected(Describe(code));
  statement.database_ = this;
  statement.statement_.reset(prepared);
  return statement;
}

Result<std::string> Database::QueryText(std::string_view sql) {
  Result<Statement> statement = Prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return std::unexpected(row.error());
  return std::string(*row ? statement->Text(0) : "");
}

Result<int64_t> Database::QueryInteger(std::string_view sql) {
  Result<Statement> statement = Prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->Integer(0) : 0;
}

Status Database::Checkpoint() {
  errno = 0;
  const int code = sqlite3_wal_checkpoint_v2(handle_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                             nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(Describe(code));
  return {};
}

void Database::KeepLogOnClose(bool keep) {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

Error Database::Describe(int code) const {
  const int cause = errno;
  std::string reason = sqlite3_errstr(code & 0xff);
  // SQLite's message is about its last call, which may not be the one that failed.
  if (sqlite3_errcode(handle_.get()) == code || sqlite3_extended_errcode(handle_.get()) == code) {
    reason = sqlite3_errmsg(handle_.get());
  }
  const int primary = code & 0xff;
  if (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL) {
    // SQLite does not retain the cause of some errors; errno was 0 before the call.
    const int known = sqlite3_system_errno(handle_.get());
    if (const int system = known != 0 ? known : cause; system != 0) {
      reason += fmt::format(" ({})", std::strerror(system));
    }
  }
  switch (primary) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Damaged(path_, reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {fmt::format("{} is in use by another process: {}", path_, reason)};
    default:
      return {fmt::format("{}: {}", path_, reason)};
  }
}

}  // namespace berth::apiserver::store
