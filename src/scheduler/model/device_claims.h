// ResourceClaims as the scheduler knows them: as the API shows them, with the writes that it has
// not shown yet (ClaimCache), and the allocations that are not written yet (InFlightAllocations).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/meta.h"
#include "api/resource_claim.h"
#include "base/result.h"

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

// ClaimCache is an assume cache: each claim as the API showed it last, and its latest version,
// which may be one that a write has returned (upstream: AssumeCache).
//
// Versions count as newer by their resourceVersion. Operations return what they changed of the
// latest versions.
class ClaimCache {
 public:
  // Returns the latest version; null if there is no such claim.
  ClaimRef Find(const api::ObjectKey& key) const;

  // The API shows `claim`; ignored unless it is newer than the latest version.
  std::optional<ClaimChange> Put(ClaimRef claim);
  std::optional<ClaimChange> Remove(const api::ObjectKey& key);

  // `claim` is what a write returned. Fails if there is no such claim, or if its latest version is
  // newer; the messages are kube-scheduler's.
  Result<ClaimChange> Assume(ClaimRef claim);
  // The latest version is that of the API again.
  std::optional<ClaimChange> Restore(const api::ObjectKey& key);

  // Visits the latest version of each claim, by namespace and name.
  template <typename Visit>  // void(const ClaimRef&)
  void ForEach(Visit&& visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.latest);
  }
  // The same, with the version that the API has shown.
  template <typename Visit>  // void(const ClaimRef& shown, const ClaimRef& latest)
  void ForEachVersion(Visit&& visit) const {
    for (const auto& [key, entry] : entries_) visit(entry.shown, entry.latest);
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    ClaimRef shown;
    ClaimRef latest;
    int64_t version = 0;  // Of `latest`.
  };
  std::map<api::ObjectKey, Entry> entries_;
};

// InFlightAllocations are the allocations that Reserve has chosen and PreBind has not written, by
// the uid of the claim.
class InFlightAllocations {
 public:
  // `claim` has the allocation. If there is one already, another pod shares it. Returns whether it
  // is new.
  bool Add(ClaimRef claim);
  // One pod fewer shares it; with `forced`, none does. Returns the claim if no allocation is left
  // in flight, otherwise null.
  ClaimRef Remove(const std::string& uid, bool forced);
  bool Contains(const std::string& uid) const { return claims_.contains(uid); }
  // Returns the claim with its allocation; null if none is in flight.
  ClaimRef Find(const std::string& uid) const {
    const auto found = claims_.find(uid);
    return found == claims_.end() ? nullptr : found->second.claim;
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
    size_t sharers = 1;
  };
  std::map<std::string, Entry> claims_;
};

}  // namespace berth::scheduler::model
