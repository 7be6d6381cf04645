// Definitions are the CustomResourceDefinitions of a server, and the kinds that it serves because
// of them.
//
// Thread-safe. A definition is served from the moment when its write returns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/scheme/kind_set.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/crd/definition.h"
#include "apiserver/store/store.h"

namespace berth::apiserver::registry {

// The number of definitions of a server. Large installations have about a thousand; discovery lists
// them all.
inline constexpr size_t kMaxDefinitions = 5'000;

// Returns the kind of definitions.
const api::scheme::Kind& DefinitionKind();

class Definitions {
 public:
  using ResourcePtr = std::shared_ptr<const crd::CustomResource>;

  // `store` must outlive the object. Reads the definitions that the store has.
  // Alpha kinds are served with `alpha_workloads`.
  Definitions(store::Store& store, bool alpha_workloads);

  std::shared_ptr<const api::scheme::KindSet> kinds() const;
  // Calls `changed`, on the thread of a writer, after each change of kinds().
  void WhenKindsChange(std::function<void()> changed);

  // Reads the definitions again. Must be called after a write to one.
  void Refresh();

  // Returns the resource that has the collection, or null.
  ResourcePtr Find(store::Collection collection) const;
  // Reports whether any definition is being deleted; costs nothing.
  bool any_terminating() const { return any_terminating_; }
  // Returns the resources whose definitions are being deleted.
  std::vector<ResourcePtr> Terminating() const;
  // Returns the names of definitions that are not being deleted and lack some of their names.
  std::vector<std::string> Unaccepted() const;
  // Returns the names that the other definitions of the group have taken.
  crd::TakenNames TakenByOthers(std::string_view group, std::string_view name) const;

 private:
  struct Entry {
    store::ObjectPtr object;
    std::string group;
    crd::TakenNames names;
    bool accepted = false;
    ResourcePtr resource;  // Null until all names were accepted.
  };

  using EntryPtr = std::shared_ptr<const Entry>;
  using Entries = std::map<std::string, EntryPtr, std::less<>>;

  EntryPtr Read(const store::ObjectPtr& object, const Entry* before) const;
  void Publish();

  store::Store& store_;
  const bool alpha_workloads_;
  std::mutex refresh_mutex_;  // Held while the definitions are read.
  std::atomic<bool> any_terminating_ = false;
  mutable std::mutex mutex_;  // Of what follows.
  Entries entries_;           // By name.
  std::map<store::Collection, ResourcePtr> by_collection_;
  std::shared_ptr<const api::scheme::KindSet> kinds_;
  std::vector<std::function<void()>> listeners_;
};

}  // namespace berth::apiserver::registry
