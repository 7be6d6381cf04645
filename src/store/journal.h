// Journal keeps the store's changes for good: a log of versions, of which the newest per object is
// the state and the recent ones are the history.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/object.h"

namespace berth::store {

// One change. `object` is the last state for a deletion.
struct JournalEntry {
  std::string collection;
  bool deleted = false;
  ObjectPtr object;
};

class Journal {
 public:
  virtual ~Journal() = default;  // Writes out what was appended.

  // Calls `entry` for each entry kept, oldest first. Before the first Append.
  virtual Status Replay(const std::function<void(JournalEntry)>& entry) = 0;
  // Appends in order; returns at once. `durable` is called on the journal's thread after the entry,
  // and all before it, has reached the disk; after a failure, with the error, for this and every
  // later one. Batches what comes while it writes.
  virtual void Append(JournalEntry entry, std::function<void(Status)> durable) = 0;
  // Entries older than `version` that a newer one of the same object has replaced may be dropped.
  virtual void Compact(Version version) = 0;
};

// A SQLite database in `directory`, which is created if missing. The error names the file.
Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& directory);

}  // namespace berth::store
