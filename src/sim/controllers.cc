#include "sim/controllers.h"

#include <fmt/format.h>

#include "cluster/volume_claims.h"
#include "sim/population.h"

namespace berth::sim {
namespace {

using Claim = api::PersistentVolumeClaim;
using Volume = api::PersistentVolume;

constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

void BindClaim(ApiModel& api, const Claim& claim, const std::string& volume) {
  Claim bound = claim;
  bound.metadata.annotations.insert_or_assign("pv.kubernetes.io/bind-completed", "yes");
  bound.volume_name = volume;
  bound.phase = "Bound";
  api.Update(std::move(bound));
}

api::Ref<Claim> ClaimOf(const ApiModel& api, const Volume& volume) {
  if (!volume.claim_ref) return nullptr;
  auto claim = api.Find<Claim>({volume.claim_ref->namespace_, volume.claim_ref->name});
  return claim != nullptr && claim->metadata.uid == volume.claim_ref->uid ? claim : nullptr;
}

// A volume that says it is bound: the claim follows, or the volume is free again.
bool SettleVolume(ApiModel& api, const Volume& volume) {
  if (!volume.claim_ref || volume.phase == "Bound") return false;
  const auto claim = ClaimOf(api, volume);
  Volume settled = volume;
  if (claim == nullptr || IsFullyBound(*claim)) {
    settled.claim_ref.reset();
    settled.metadata.annotations.clear();
  } else {
    settled.phase = "Bound";
    BindClaim(api, *claim, volume.metadata.name);
  }
  api.Update(std::move(settled));
  return true;
}

void Provision(ApiModel& api, const Claim& claim) {
  Volume volume;
  volume.metadata.name = fmt::format("made-for-{}", claim.metadata.uid);
  volume.capacity = claim.requests;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = *claim.storage_class_name;
  volume.claim_ref = api::ObjectReference{.api_version = "v1",
                                          .kind = "PersistentVolumeClaim",
                                          .namespace_ = claim.metadata.namespace_,
                                          .name = claim.metadata.name,
                                          .uid = claim.metadata.uid,
                                          .resource_version = claim.metadata.resource_version};
  volume.phase = "Bound";
  const std::string name = volume.metadata.name;
  api.Create(std::move(volume));
  BindClaim(api, claim, name);
}

bool SettleClaim(ApiModel& api, const Claim& claim, bool calm, Random& random) {
  if (IsFullyBound(claim)) return false;
  const auto selected = claim.metadata.annotations.find(kSelectedNode);
  const bool wanted = selected != claim.metadata.annotations.end();
  if (!wanted && claim.storage_class_name == kDelayedClass) return false;
  const bool node_gone = wanted && api.Find<api::Node>({"", selected->second}) == nullptr;
  if (wanted && (node_gone || (!calm && random.Chance(15)))) {
    Claim refused = claim;
    refused.metadata.annotations.erase(kSelectedNode);
    api.Update(std::move(refused));
  } else {
    Provision(api, claim);
  }
  return true;
}

}  // namespace

bool RunVolumeController(ApiModel& api, bool calm, Random& random) {
  for (const auto& volume : api.All<Volume>()) {
    if (SettleVolume(api, *volume)) return true;
  }
  for (const auto& claim : api.All<Claim>()) {
    if (SettleClaim(api, *claim, calm, random)) return true;
  }
  return false;
}

bool FinishOneDeletion(ApiModel& api, Random& random) {
  std::vector<api::ObjectKey> terminating;
  for (const auto& pod : api.All<api::Pod>()) {
    if (pod->metadata.deletion_timestamp) terminating.push_back(KeyOf(pod->metadata));
  }
  if (terminating.empty()) return false;
  api.FinishDeletion(terminating[random.Below(terminating.size())]);
  return true;
}

}  // namespace berth::sim
