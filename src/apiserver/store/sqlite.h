// A thin wrapper of SQLite: connections and statements as owners, and errors that name the file.
// Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace berth::apiserver::store {

// Returns the error of a file that is not as it was written, with what to do about it.
Error Damaged(std::string_view file, std::string_view what);

class Statement {
 public:
  // Parameters are numbered from 1. Text must stay valid until the statement is reset.
  Statement& Bind(int parameter, int64_t value);
  Statement& Bind(int parameter, std::string_view text);

  // Returns true if there is a row to read.
  Result<bool> Step();
  // Steps to the end and resets.
  Status Run();
  void Reset();

  // Columns are numbered from 0. Text is valid until the next step.
  int64_t Integer(int column) const;
  std::string_view Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  class Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_error_ = 0;  // Reported by the next step.
};

class Database {
 public:
  // Opens the file, or creates an empty one that only its owner can read. SQLite reads it with the
  // first statement.
  static Result<std::unique_ptr<Database>> Open(const std::string& path);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }

  Status Execute(const char* sql);
  Result<Statement> Prepare(std::string_view sql);
  // The Query functions return the first column of the first row; "" or 0 if there is no row.
  Result<std::string> QueryText(std::string_view sql);
  Result<int64_t> QueryInteger(std::string_view sql);

  // Copies the write-ahead log to the file and empties it; both are on disk afterwards.
  Status Checkpoint();
  // Whether closing leaves the write-ahead log as it is, instead of copying it to the file.
  void KeepLogOnClose(bool keep);

  // Returns a message for the error that SQLite has just returned.
  Error Describe(int code) const;

 private:
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace berth::apiserver::store
