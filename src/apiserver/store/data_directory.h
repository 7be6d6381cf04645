// DataDirectory is the directory of a persistent store, locked by this process; AcknowledgedMark is
// the file in it that remembers the newest acknowledged write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

class DataDirectory {
 public:
  // Creates the directory durably if it is missing.
  static Result<DataDirectory> Open(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept
      : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();  // Unlocks it.

  const std::string& path() const { return path_; }
  // Makes renamed and created files durable.
  Status Sync() const;

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // The descriptor that holds the lock.
};

// The write-ahead log of SQLite ends at its first damaged byte, as if later writes had not been
// made. The mark reveals that: it is written after the log is durable, and never fsynced, so that
// it survives the process at no cost. After a power failure it may be older, but never newer than
// the log.
class AcknowledgedMark {
 public:
  struct Value {
    int64_t database = 0;  // The identity of the database.
    Version version = 0;   // Every write up to this version was durable.
  };

  explicit AcknowledgedMark(std::string path) : path_(std::move(path)) {}
  AcknowledgedMark(const AcknowledgedMark&) = delete;
  AcknowledgedMark& operator=(const AcknowledgedMark&) = delete;
  ~AcknowledgedMark();

  const std::string& path() const { return path_; }
  // Returns nullopt if there is no mark, or if it is damaged, since it is not needed.
  std::optional<Value> Read() const;
  // Errors are ignored: an older mark only detects less.
  void Write(const Value& value);

 private:
  const std::string path_;
  int file_ = -1;  // Opened by the first Write.
};

}  // namespace berth::apiserver::store
