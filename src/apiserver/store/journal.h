// Journal is the persistent log of the store's changes: the newest entry per object is the state,
// the recent entries are the history.
//
// The store calls Recover, Replay and Start in this order, then the others on any thread, one at a
// time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

// One change. A deletion has only key, uid and version; the object's last state is in the entry
// before.
struct JournalEntry {
  std::string_view collection;  // Outlives the journal, or the callback of Replay.
  bool deleted = false;
  ObjectPtr object;
};

// The persistent state of a journal besides its entries.
struct Recovered {
  Version next = 0;   // Greater than any version assigned so far; 0 in an empty journal.
  Version first = 0;  // The value of `next` when the journal was created.
  // Per collection, the version up to which entries were compacted: older entries remain only if
  // they are the state of an object. Collections that are absent were never compacted.
  std::map<std::string, Version, std::less<>> floors;
};

// Entries that are no longer needed: the history begins after `floor`.
struct Compaction {
  std::string_view collection;    // Outlives the journal.
  Version floor = 0;              // Never decreases.
  std::vector<Version> versions;  // Entries to drop: not newer than the floor, and not state.
};

class Journal {
 public:
  virtual ~Journal() = default;  // Writes all appended entries.

  virtual Result<Recovered> Recover() = 0;
  // Calls `entry` for each entry, oldest first, until it fails.
  virtual Status Replay(const std::function<Status(const JournalEntry&)>& entry) = 0;
  // Starts writing; versions from `next` on will be assigned. Calls `durable` on the journal's
  // thread with the version up to which all entries are on disk, or, as the last call, with the
  // error that prevents further writes. No batch is written during the call, which must be short.
  virtual Status Start(Version next, std::function<void(Result<Version>)> durable) = 0;

  // Versions below this one may be assigned: after a restart `next` is at least this. The limit
  // is raised before `durable` reports an entry close to it.
  virtual Version reserved() const = 0;
  // Does not block; versions must increase. Entries that arrive during a write are batched.
  virtual void Append(JournalEntry entry) = 0;
  // Does not block; compactions run in the background, in order. The versions must be durable.
  virtual void Compact(Compaction compaction) = 0;
  // Returns the name of the journal for errors.
  virtual const std::string& name() const = 0;
};

// Opens the SQLite journal in `directory`, which is created if missing and locked against other
// processes. Errors name the file. `reserve` is the number of versions reserved at a time.
Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& directory,
                                                   Version reserve = 1 << 20);

}  // namespace berth::apiserver::store
