// Journal keeps the store's changes for good: a log of versions, of which the newest per object is
// the state and the recent ones are the history.
//
// The store calls, in this order: Recover, Replay, Start, then the others on any thread, one at a
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

// One change. Of a deletion only key, uid and version are kept: its state is that of the entry
// before it.
struct JournalEntry {
  std::string_view collection;  // Outlives the journal, or the call of Replay's function.
  bool deleted = false;
  ObjectPtr object;
};

// What a journal knows besides its entries.
struct Recovered {
  Version next = 0;   // Greater than any version handed out so far; 0 in an empty journal.
  Version first = 0;  // What `next` was when the journal was new.
  // Per collection: entries newer than this are all there, older ones as far as they are state.
  // Those of collections that are not named are all there.
  std::map<std::string, Version, std::less<>> floors;
};

// Entries that history needs no more. Nothing older than `floor` will be asked for.
struct Compaction {
  std::string_view collection;    // Outlives the journal.
  Version floor = 0;              // Never falls.
  std::vector<Version> versions;  // Of entries up to the floor that are not state: to be dropped.
};

class Journal {
 public:
  virtual ~Journal() = default;  // Writes out what was appended.

  virtual Result<Recovered> Recover() = 0;
  // Calls `entry` for each entry kept, oldest first, until it fails.
  virtual Status Replay(const std::function<Status(const JournalEntry&)>& entry) = 0;
  // Versions from `next` on will be handed out. `durable` is called on the journal's thread: all
  // entries up to its version have reached the disk, or, once and for the last time, the error that
  // keeps the later ones from it.
  virtual Status Start(Version next, std::function<void(Result<Version>)> durable) = 0;

  // Versions below this may be handed out: after a restart, next is not below it. It grows before
  // `durable` tells of an entry that came close to it.
  virtual Version reserved() const = 0;
  // Returns at once; versions must grow. Batches what comes while it writes.
  virtual void Append(JournalEntry entry) = 0;
  // Returns at once; the work is done in the background, in order. The versions must be durable.
  virtual void Compact(Compaction compaction) = 0;
  // Names the journal in errors.
  virtual const std::string& name() const = 0;
};

// A SQLite database in `directory`, which is created if missing. One process at a time may have it.
// The error names the file. `reserve` is how many versions are reserved at a time.
Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& directory,
                                                   Version reserve = 1 << 20);

}  // namespace berth::apiserver::store
