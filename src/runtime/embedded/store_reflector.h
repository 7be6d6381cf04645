// StoreReflector reports the changes of one collection of the store to the engine.
//
// When the store's history no longer contains its position, it lists the collection and reports the
// differences from its object cache.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/scheme.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "client/object_cache.h"
#include "client/reported_problems.h"
#include "client/watch_events.h"
#include "runtime/connection.h"
#include "scheduler/model/features.h"

namespace berth::runtime::embedded {

// A change to report to the engine.
struct StoreChange {
  api::ObjectChange change;
  // The version of the change in the store; 0 if a list found it.
  apiserver::store::Version version = 0;
  bool created = false;  // The change created the object.
};

class StoreReflector {
 public:
  // `store` and `kind` must outlive the reflector. `wake` is called as by Store::Watch.
  StoreReflector(apiserver::store::Store& store, const api::scheme::Kind& kind,
                 client::ObjectCodec codec, std::function<void()> wake, Log log);

  // Reads up to `limit` changes of the store, or a whole list, and appends the changes to report,
  // in order. Returns false if there was nothing to read: `wake` is called when there is.
  bool Read(size_t limit, std::vector<StoreChange>& out);

  // Returns how often the collection was listed.
  size_t lists() const { return lists_; }

 private:
  void List(std::vector<StoreChange>& out);
  void Take(const apiserver::store::Event& event, std::vector<StoreChange>& out);
  // Decodes the object. Logs, once, what of it cannot be decoded.
  std::optional<api::Object> Read(const apiserver::store::Object& object);
  // Appends changes_, which all come from the same change of the store.
  void HandOver(apiserver::store::Version version, bool created, std::vector<StoreChange>& out);
  bool IsWanted(const apiserver::store::Object& object) const;

  apiserver::store::Store& store_;
  const api::scheme::Kind& kind_;
  const client::ObjectCodec codec_;
  const std::function<void()> wake_;
  const Log log_;
  size_t phase_field_;  // The field that marks finished pods; no field for other kinds.
  std::unique_ptr<apiserver::store::Store::Cursor> cursor_;
  client::ObjectCache cache_;
  client::ReportedProblems reported_;
  std::vector<apiserver::store::Event> read_;  // Of one Read; a member to reuse its memory.
  std::vector<api::ObjectChange> changes_;     // Likewise.
  size_t lists_ = 0;
};

// Returns a reflector for each of WatchedResources(). With `raw_json`, retains the raw JSON of pods
// and nodes, for extenders.
std::vector<StoreReflector> MakeStoreReflectors(apiserver::store::Store& store,
                                                const std::function<void()>& wake, const Log& log,
                                                bool raw_json,
                                                const scheduler::model::Features& features = {});

}  // namespace berth::runtime::embedded
