// ResourceClaims as the scheduler knows them: as the API shows them, with the writes that it has
// not shown yet (ClaimCache), and the allocations that are not written yet (InFlightAllocations).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/meta.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/model/object_name.h"

namespace berth::scheduler::model {

using ClaimRef = std::shared_ptr<const api::ResourceClaim>;

inline api::ObjectKey ClaimKey(const api::ResourceClaim& claim) {
  return {claim.metadata.namespace_, claim.metadata.name};
}

// A claim that changed; `before` is null if it was added, `after` if it was removed.
struct ClaimChange {
  ClaimRef before;
  ClaimRef after;
};

// ClaimCache is an assume cache: the latest version of each claim, whether the API showed it or a
// write returned it (upstream: AssumeCache).
//
// Versions count as newer by their resourceVersion. Operations return what they changed.
//
// DIFFERS: there is no Restore, which makes the version that the informer stored the latest one
// again. All that is assumed has been stored by the API: an older version would only be wrong.
class ClaimCache {
 public:
  // Returns the latest version; null if there is no such claim.
  ClaimRef Find(const ObjectName& name) const;

  // The API shows `claim`; ignored unless it is newer than the latest version.
  std::optional<ClaimChange> Put(ClaimRef claim);
  std::optional<ClaimChange> Remove(const api::ObjectKey& key);

  // `claim` is what a write returned. Fails if there is no such claim, or if its latest version is
  // newer; the messages are kube-scheduler's.
  Result<ClaimChange> Assume(ClaimRef claim);

  // Visits the latest version of each claim, in no particular order.
  template <typename Visit>  // void(const ClaimRef&)
  void ForEach(Visit&& visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.latest);
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    ClaimRef latest;
    int64_t version = 0;
  };
  std::unordered_map<api::ObjectKey, Entry, ObjectNameHash, ObjectNameEqual> entries_;
};

// InFlightAllocations are the allocations that Reserve has chosen and PreBind has not written, by
// the uid of the claim.
class InFlightAllocations {
 public:
  // `claim` has the allocation, for a pod of `group`, if it has one. If there is an allocation
  // already, another pod shares it. Returns whether it is new.
  bool Add(ClaimRef claim, std::optional<api::ObjectKey> group = std::nullopt);
  // One pod fewer shares it; with `forced`, none does. Returns the claim if no allocation is left
  // in flight, otherwise null.
  ClaimRef Remove(const std::string& uid, bool forced);
  bool Contains(const std::string& uid) const { return claims_.contains(uid); }
  // Returns the claim with its allocation; null if none is in flight.
  ClaimRef Find(const std::string& uid) const {
    const auto found = claims_.find(uid);
    return found == claims_.end() ? nullptr : found->second.claim;
  }
  // The same, if it is in flight for a pod of the group.
  ClaimRef FindOf(const api::ObjectKey& group, const std::string& uid) const {
    const auto found = claims_.find(uid);
    return found == claims_.end() || found->second.group != group ? nullptr : found->second.claim;
  }
  // By uid.
  template <typename Visit>  // void(const ClaimRef&)
  void ForEach(Visit&& visit) const {
    for (const auto& [uid, entry] : claims_) visit(entry.claim);
  }
  size_t size() const { return claims_.size(); }

 private:
  struct Entry {
    ClaimRef claim;
    std::optional<api::ObjectKey> group;
    size_t sharers = 1;
  };
  std::map<std::string, Entry> claims_;
};

}  // namespace berth::scheduler::model
