// StoreReflector follows one collection of the store and tells the engine what becomes of its
// objects.
//
// When the store's history no longer reaches back to where it is, it lists the collection and tells
// the difference to what it has told (driver/told_objects.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/scheme.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "client/object_cache.h"
#include "runtime/connection.h"

namespace berth::runtime::embedded {

// What the engine is to hear.
struct StoreChange {
  api::ObjectChange change;
  // Of the store's change that it tells; 0 if it was found out by listing.
  apiserver::store::Version version = 0;
  bool created = false;  // The store's change created the object.
};

class StoreReflector {
 public:
  using Decode = Result<api::Object> (*)(std::string_view json);

  // `store` and `kind` must outlive the feed. `wake` is called as by Store::Watch.
  StoreReflector(apiserver::store::Store& store, const api::scheme::Kind& kind, Decode decode,
                 std::function<void()> wake, Log log);

  // Reads on: up to `limit` changes of the store, or a whole list. Appends what the engine is to
  // hear, if anything, in order. False if there was nothing to read: `wake` is called when there
  // is.
  bool Read(size_t limit, std::vector<StoreChange>& out);

  // How often the collection was listed.
  size_t lists() const { return lists_; }

 private:
  void List(std::vector<StoreChange>& out);
  void Take(const apiserver::store::Event& event, std::vector<StoreChange>& out);
  // What the engine is to see of the object; if it cannot be read, that is logged once.
  std::optional<api::Object> Read(const apiserver::store::Object& object);
  // Hands over changes_, all of which tell the same change of the store.
  void HandOver(apiserver::store::Version version, bool created, std::vector<StoreChange>& out);
  bool IsWanted(const apiserver::store::Object& object) const;

  apiserver::store::Store& store_;
  const api::scheme::Kind& kind_;
  const Decode decode_;
  const std::function<void()> wake_;
  const Log log_;
  size_t phase_field_;  // Of finished pods; no field if nothing finishes.
  std::unique_ptr<apiserver::store::Store::Cursor> cursor_;
  client::ObjectCache cache_;
  std::map<apiserver::store::ObjectName, std::string>
      unreadable_;                             // Names and uids: each is logged once.
  std::vector<apiserver::store::Event> read_;  // Of one Read; kept for its memory.
  std::vector<api::ObjectChange> changes_;     // Likewise.
  size_t lists_ = 0;
};

// A feed for each collection that the engine reads; pods come last, so that they are heard of when
// what they need is known. `keep_raw_json`: of pods and nodes, for extenders.
std::vector<StoreReflector> MakeStoreReflectors(apiserver::store::Store& store,
                                                const std::function<void()>& wake, const Log& log,
                                                bool keep_raw_json);

}  // namespace berth::runtime::embedded
