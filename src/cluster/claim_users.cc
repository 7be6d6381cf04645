#include "cluster/claim_users.h"

#include <algorithm>

#include "base/check.h"
#include "cluster/volume_claims.h"

namespace berth {
namespace {

// Calls visit(key, ephemeral) for each claim that the pods of a class use. Pods whose claims are
// named after them are alone in their class.
template <typename Visit>
void ForEachClaim(const PodClass& pod_class, Visit&& visit) {
  const api::ObjectMeta& meta = pod_class.example->metadata;
  for (const api::Volume& volume : pod_class.spec().volumes) {
    if (const auto claim = ClaimOf(meta.name, volume)) {
      visit(api::ObjectKey{meta.namespace_, claim->name}, claim->ephemeral);
    }
  }
}

}  // namespace

void ClaimUsers::Add(PodId pod, const PodClass& pod_class, Symbol node) {
  ForEachClaim(pod_class, [&](api::ObjectKey claim, bool ephemeral) {
    users_[std::move(claim)].push_back({pod, node, ephemeral});
  });
}

void ClaimUsers::Remove(PodId pod, const PodClass& pod_class, Symbol node) {
  ForEachClaim(pod_class, [&](const api::ObjectKey& claim, bool ephemeral) {
    const auto users = users_.find(claim);
    CHECK(users != users_.end());
    const auto user = std::ranges::find(users->second, User{pod, node, ephemeral});
    CHECK(user != users->second.end());
    users->second.erase(user);
    if (users->second.empty()) users_.erase(users);
  });
}

const std::vector<ClaimUsers::User>& ClaimUsers::Of(const api::ObjectKey& claim) const {
  static const std::vector<User> kNone;
  const auto found = users_.find(claim);
  return found == users_.end() ? kNone : found->second;
}

}  // namespace berth
