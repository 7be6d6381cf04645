// Store keeps versioned objects in collections, and the recent history of each collection.
//
// It knows nothing of kinds, admission or HTTP. All functions may be called on any thread; objects
// are immutable, so what they return stays true of its version. Writes are optimistic: the caller
// says which version it saw.
//
// With a journal, a write is *visible* once the journal holds it for good. Cursors show visible
// events only; whoever answers a client waits with WhenVisible for the version it is about to tell.
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

// A collection, by its place in StoreOptions::collections.
using Collection = uint16_t;

enum class WriteError {
  kExists,    // Create: the name is taken.
  kNotFound,  // Replace, Delete: there is no such object.
  kConflict,  // Replace, Delete: the object is not at the version that the caller saw.
  kFailed,    // The journal has failed: health() says why. No more writes are taken.
};
using WriteOutcome = std::expected<ObjectPtr, WriteError>;

struct ListQuery {
  std::optional<std::string> namespace_ = {};  // Nothing: all of them.
  std::optional<ObjectName> after = {};        // Only names beyond this one.
  size_t limit = 0;                            // 0: no limit.
  // The state at this version: for the pages after a first one, and for exact lists. A version that
  // is yet to come gives the newest state.
  std::optional<Version> at = {};
  std::function<bool(const Object&)> matches = {};  // Null: all. Called without the store's lock.
};

struct ListResult {
  std::vector<ObjectPtr> objects = {};  // By namespace, then name.
  Version version = 0;   // The store's, when the list was true; `at` if that was given.
  bool expired = false;  // History does not reach back to `at`: there are no objects.
  bool more = false;     // The limit cut it off.
  size_t remaining = 0;  // How many were cut off, selectors aside.
};

struct StoreOptions {
  std::vector<std::string>
      collections;            // "pods", "apps/deployments": unique, stable over restarts.
  size_t history = 50'000;    // Events kept per collection.
  Version first_version = 1;  // Of an empty store. Watches from before it are expired.
};

class Store {
 public:
  // Without a journal everything is forgotten with the Store. With one, state and history are read
  // back from it; the error says what is wrong with it.
  static Result<std::unique_ptr<Store>> Open(StoreOptions options,
                                             std::unique_ptr<Journal> journal);
  virtual ~Store() = default;

  virtual ObjectPtr Get(Collection collection, const ObjectName& name) const = 0;  // Or null.
  virtual ListResult List(Collection collection, const ListQuery& query) const = 0;
  virtual size_t Count(Collection collection) const = 0;
  // Of the newest change.
  virtual Version version() const = 0;
  // The error of the journal, if it has failed. Writes that were not visible by then are undone,
  // and the last visible state can still be read.
  virtual Status health() const = 0;

  virtual WriteOutcome Create(Collection collection, Draft draft) = 0;
  virtual WriteOutcome Replace(Collection collection, Draft draft, Version seen) = 0;
  // Returns the last state, with the version of the deletion.
  virtual WriteOutcome Delete(Collection collection, const ObjectName& name, Version seen) = 0;

  // Calls `done` once `version` is visible, perhaps at once and from within, else from a thread of
  // the journal. If the journal has failed, with its error: the write may be lost. A version that
  // is yet to be written is waited for, too; when the store goes, those who still wait get an
  // error.
  virtual void WhenVisible(Version version, std::function<void(Status)> done) = 0;

  // Cursor reads a collection's events one after another. For one thread at a time; must not
  // outlive the store. One that is not waiting costs writers nothing.
  class Cursor {
   public:
    virtual ~Cursor() = default;
    // Appends up to `limit` visible events to `out` and moves past them. If there was none, the
    // next one calls `wake` (once; on the thread that made it visible). False if the history no
    // longer reaches back to this cursor: the reader must list again.
    virtual bool Read(size_t limit, std::vector<Event>& out) = 0;
    // All events up to this version have been read. Grows with other collections' events, too.
    virtual Version position() const = 0;
  };
  // Starts after `from`. `wake` must be quick and must not call the store. It may be called for
  // nothing, and by another thread just after the cursor is gone: it must own what it touches.
  virtual std::unique_ptr<Cursor> Watch(Collection collection, Version from,
                                        std::function<void()> wake) = 0;
};

}  // namespace berth::apiserver::store
