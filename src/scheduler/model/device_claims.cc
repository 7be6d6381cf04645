#include "scheduler/model/device_claims.h"

#include <fmt/format.h>

#include <utility>

#include "api/selector.h"

namespace berth::scheduler::model {
namespace {

// Versions are numbers, except in tests: those count as newer than anything.
std::optional<int64_t> VersionOf(const api::ResourceClaim& claim) {
  return api::ParseInt(claim.metadata.resource_version);
}

}  // namespace

ClaimRef ClaimCache::Find(const ObjectName& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.latest;
}

std::optional<ClaimChange> ClaimCache::Put(ClaimRef claim) {
  auto at = entries_.find(ObjectName(claim->metadata));
  const bool is_new = at == entries_.end();
  if (is_new) at = entries_.try_emplace(ClaimKey(*claim)).first;
  Entry& entry = at->second;
  const std::optional<int64_t> version = VersionOf(*claim);
  if (!is_new && version && *version <= entry.version) return std::nullopt;
  entry.version = version.value_or(0);
  ClaimRef before = std::exchange(entry.latest, claim);
  return ClaimChange{std::move(before), std::move(claim)};
}

std::optional<ClaimChange> ClaimCache::Remove(const api::ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  ClaimChange change{std::move(found->second.latest), nullptr};
  entries_.erase(found);
  return change;
}

Result<ClaimChange> ClaimCache::Assume(ClaimRef claim) {
  const auto found = entries_.find(ObjectName(claim->metadata));
  if (found == entries_.end()) {
    return Fail(fmt::format("could not find ResourceClaim \"{}\"", ClaimKey(*claim).ToString()));
  }
  Entry& entry = found->second;
  const int64_t version = VersionOf(*claim).value_or(entry.version);
  if (version < entry.version) {
    return Fail(fmt::format("ResourceClaim \"{}\" is out of sync (stored: {}, assume: {})",
                            found->first.ToString(), entry.version, version));
  }
  entry.version = version;
  ClaimRef before = std::exchange(entry.latest, claim);
  return ClaimChange{std::move(before), std::move(claim)};
}

bool InFlightAllocations::Add(ClaimRef claim, std::optional<api::ObjectKey> group) {
  const std::string uid = claim->metadata.uid;
  const auto [at, is_new] = claims_.try_emplace(uid);
  if (is_new) {
    at->second.claim = std::move(claim);
    at->second.group = std::move(group);
  } else {
    ++at->second.sharers;
  }
  return is_new;
}

ClaimRef InFlightAllocations::Remove(const std::string& uid, bool forced) {
  const auto found = claims_.find(uid);
  if (found == claims_.end()) return nullptr;
  if (!forced && found->second.sharers > 1) {
    --found->second.sharers;
    return nullptr;
  }
  ClaimRef claim = std::move(found->second.claim);
  claims_.erase(found);
  return claim;
}

}  // namespace berth::scheduler::model
