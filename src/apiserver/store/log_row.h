// The rows of the journal's database and their checksums, since SQLite has none: LogRow is an
// entry, LogState the row that covers all others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/store/stored_object.h"

namespace berth::apiserver::store {

// LogRow is a journal entry as columns of the database.
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

  // Covers all columns.
  int64_t Checksum() const;
  // Returns the object, or null if labels, fields or the version in the JSON are malformed.
  ObjectPtr Read() const;
};

// LogTotals are the number of rows and a digest of all of them, which reveals rows that are
// missing, duplicate or swapped. A row can be removed again; the order does not matter.
struct LogTotals {
  int64_t rows = 0;
  int64_t digest = 0;

  void Add(int64_t version, int64_t checksum);
  void Remove(int64_t version, int64_t checksum);
  friend bool operator==(const LogTotals&, const LogTotals&) = default;
};

// LogState is the row of the table `state`, which every transaction writes.
struct LogState {
  int64_t identity = 0;     // A random number that identifies the database.
  int64_t first = 0;        // The first version ever.
  int64_t reserved = 0;     // Versions below this one may have been assigned.
  int64_t last = 0;         // The newest version that was written.
  LogTotals totals;         // Of the table `log`.
  int64_t collections = 0;  // The checksum of the table `collections`.

  int64_t Checksum() const;
};

// RowChecksum accumulates the CRC-32 of columns.
class RowChecksum {
 public:
  RowChecksum& Add(int64_t number);
  RowChecksum& Add(std::string_view text);
  int64_t value() const { return static_cast<int64_t>(sum_); }

 private:
  unsigned long sum_ = 0;
};

// Concatenates strings, each prefixed by its length: "3:app,5:berth,". Labels are written as key,
// value, key, value.
std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels);
std::string WriteList(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> ReadList(std::string_view list);

}  // namespace berth::apiserver::store
