// Store holds versioned objects in collections, and the recent history of each collection.
//
// It is independent of kinds, admission and HTTP. All functions may be called on any thread;
// objects are immutable. Writes use optimistic concurrency: the caller passes the version it has
// read.
//
// With a journal, a write is *visible* once it is durable. Cursors return only visible events; a
// response that reveals a version must wait for it with WhenVisible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/journal.h"
#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

// A collection: an index into StoreOptions::collections, or the result of AddCollection.
using Collection = uint32_t;

// The prefix of the names of collections that are added and removed while the store runs. They are
// restored from the journal if it has objects of them.
inline constexpr std::string_view kAddedPrefix = "custom/";

enum class WriteError {
  kExists,    // Create: an object with that name exists.
  kNotFound,  // Replace, Delete: no such object.
  kConflict,  // Replace, Delete: the object is not at the version that the caller has read.
  kFailed,    // The journal has failed, as health() reports; all further writes fail.
};
using WriteOutcome = std::expected<ObjectPtr, WriteError>;

struct ListQuery {
  std::optional<std::string> namespace_ = {};  // nullopt: all namespaces.
  std::optional<ObjectName> after = {};        // Only names greater than this one.
  size_t limit = 0;                            // 0: no limit.
  // List the state at this version, for further pages and exact lists. A future version gives the
  // newest state.
  std::optional<Version> at = {};
  std::function<bool(const Object&)> matches = {};  // Null: all. Called without the store's lock.
};

struct ListResult {
  std::vector<ObjectPtr> objects = {};  // By namespace, then name.
  Version version = 0;                  // The version of the listed state; `at` if that was given.
  bool expired = false;  // The history does not reach back to `at`; `objects` is empty.
  bool more = false;     // The limit truncated the list.
  size_t remaining = 0;  // The number of objects after the last one, regardless of `matches`.
};

// About what the default number of events needs for pods of a usual size, several KiB.
inline constexpr size_t kDefaultHistoryBytes = size_t{256} << 20;

struct StoreOptions {
  // "pods", "apps/deployments": unique, and stable across restarts.
  std::vector<std::string> collections;
  size_t history = 50'000;  // Events retained per collection.
  // The memory of the events of all collections, beyond that of the current objects. If it is
  // exceeded, the oldest events of the largest history are dropped, except its newest one.
  size_t history_bytes = kDefaultHistoryBytes;
  Version first_version = 1;  // Of an empty store. Watches from earlier versions are expired.
};

class Store {
 public:
  // Restores state and history from `journal`. Without a journal nothing is persistent.
  static Result<std::unique_ptr<Store>> Open(StoreOptions options,
                                             std::unique_ptr<Journal> journal);
  virtual ~Store() = default;

  virtual ObjectPtr Get(Collection collection, const ObjectName& name) const = 0;  // Or null.
  virtual ListResult List(Collection collection, const ListQuery& query) const = 0;
  virtual size_t Count(Collection collection) const = 0;

  // Adds a collection, whose name begins with kAddedPrefix, or returns the one of that name.
  virtual Collection AddCollection(const std::string& name) = 0;
  // Removes an added collection with its history. Its cursors must list again; it then has no
  // objects, and writes to it fail with kNotFound. Returns false if it has objects. The number is
  // not used again.
  virtual bool RemoveCollection(Collection collection) = 0;

  // Returns the version of the newest change.
  virtual Version version() const = 0;
  // Returns the error of the journal if it has failed. Writes that were not visible by then are
  // undone, and the last visible state remains readable.
  virtual Status health() const = 0;

  virtual WriteOutcome Create(Collection collection, Draft draft) = 0;
  virtual WriteOutcome Replace(Collection collection, Draft draft, Version seen) = 0;
  // Returns the last state with the version of the deletion.
  virtual WriteOutcome Delete(Collection collection, const ObjectName& name, Version seen) = 0;

  // Calls `done` once `version` is visible: within this call, or later on the thread that writes
  // the journal. All writers wait for that thread, so `done` must only pass the result on. `done`
  // gets an error if the journal fails, since the write may be lost, or if the store is destroyed.
  // A future version is waited for, too.
  virtual void WhenVisible(Version version, std::function<void(Status)> done) = 0;

  // Cursor reads a collection's events in order. Used by one thread at a time; must not outlive the
  // store. A cursor that is not waiting adds no cost to writes.
  class Cursor {
   public:
    virtual ~Cursor() = default;
    // Appends up to `limit` visible events to `out` and moves past them. If there were none, the
    // next event calls `wake` once, on the thread that makes it visible. Returns false if the
    // history no longer reaches back to this cursor: the reader must list again.
    virtual bool Read(size_t limit, std::vector<Event>& out) = 0;
    // All events up to this version have been read. Grows with other collections' events, too.
    virtual Version position() const = 0;
  };
  // Returns a cursor that starts after `from`. `wake` must be fast and must not call the store. It
  // may be called spuriously, and by another thread just after the cursor is destroyed: it must own
  // what it accesses.
  virtual std::unique_ptr<Cursor> Watch(Collection collection, Version from,
                                        std::function<void()> wake) = 0;
};

}  // namespace berth::apiserver::store
