#include "simulation/activity.h"

#include <fmt/format.h>

#include "scheduler/model/volume_claims.h"
#include "simulation/population.h"

namespace berth::simulation {
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

// Completes the binding of a volume that the scheduler reserved, or releases it.
bool SyncVolume(ApiModel& api, const Volume& volume) {
  if (!volume.claim_ref || volume.phase == "Bound") return false;
  const auto claim = ClaimOf(api, volume);
  Volume synced = volume;
  if (claim == nullptr || scheduler::model::IsFullyBound(*claim)) {
    synced.claim_ref.reset();
    synced.metadata.annotations.clear();
  } else {
    synced.phase = "Bound";
    BindClaim(api, *claim, volume.metadata.name);
  }
  api.Update(std::move(synced));
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

bool SyncClaim(ApiModel& api, const Claim& claim, bool calm, Random& random) {
  if (scheduler::model::IsFullyBound(claim)) return false;
  const auto selected = claim.metadata.annotations.find(kSelectedNode);
  const bool node_selected = selected != claim.metadata.annotations.end();
  if (!node_selected && claim.storage_class_name == kDelayedClass) return false;
  const bool node_missing = node_selected && api.Find<api::Node>({"", selected->second}) == nullptr;
  if (node_selected && (node_missing || (!calm && random.Chance(15)))) {
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
    if (SyncVolume(api, *volume)) return true;
  }
  for (const auto& claim : api.All<Claim>()) {
    if (SyncClaim(api, *claim, calm, random)) return true;
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

namespace {

constexpr uint64_t kPodNames = 20;

}  // namespace

void WorldActivity::Begin() {
  api::Namespace space;
  space.metadata.name = kNamespace;
  api_.Create(std::move(space));
  if (plan_.volumes) {
    api_.Create(MakeStorageClass(kDelayedClass));
    api_.Create(MakeStorageClass(kImmediateClass));
    for (int i = 0; i < 3; ++i) api_.Create(RandomVolume(fmt::format("disk{}", i), random_));
  }
  const uint64_t nodes = 3 + random_.Below(6);
  for (uint64_t i = 0; i < nodes; ++i) api_.Create(RandomNode(fmt::format("n{}", i), random_));
  if (plan_.devices) devices_.Begin();
  if (plan_.groups) groups_.Begin();
  const uint64_t pods = random_.Below(8);
  for (uint64_t i = 0; i < pods; ++i) CreatePod();
}

void WorldActivity::Act(Instant now) {
  if (plan_.devices && devices_.IsNext()) return devices_.Act(now);
  if (plan_.groups && groups_.IsNext()) return groups_.Act();
  if (plan_.overflowing && random_.Chance(15)) return StartHugePod();
  const uint64_t choice = random_.Below(100);
  if (choice < 32) return CreatePod();
  if (choice < 42) return DeletePod(now);
  if (choice < 48) return RecreatePod(now);
  if (choice < 60) return ChangePod(now);
  if (choice < 65) return FinishPod();
  if (choice < 77) return ChangeSomeNode();
  if (choice < 82) return AddOrRemoveNode();
  if (choice < 87) return BindByIncumbent(now);
  if (choice < 94) {
    FinishOneDeletion(api_, random_);
  } else {
    RunVolumeController(api_, /*calm=*/false, random_);
  }
}

bool WorldActivity::WindDown() {
  return FinishOneDeletion(api_, random_) || RunVolumeController(api_, /*calm=*/true, random_) ||
         (plan_.devices && devices_.WindDown());
}

void WorldActivity::End() {
  while (!api_.objects().empty()) api_.Erase(api_.objects().begin()->first);
}

// --- pods ---

api::Ref<api::Pod> WorldActivity::AnyPod() {
  const auto pods = api_.All<api::Pod>();
  return pods.empty() ? nullptr : pods[random_.Below(pods.size())];
}

std::string WorldActivity::ClaimForNewPod() {
  if (!plan_.volumes || !random_.Chance(25)) return "";
  const auto claims = api_.All<api::PersistentVolumeClaim>();
  if (!claims.empty() && random_.Chance(30)) {
    return claims[random_.Below(claims.size())]->metadata.name;
  }
  const std::string name = fmt::format("claim{}", ++last_claim_);
  api_.Create(RandomClaim(name, random_));
  return name;
}

api::Pod WorldActivity::MakePod(const std::string& name) {
  api::Pod pod = RandomPod(name, plan_, ClaimForNewPod(), random_);
  if (plan_.devices) devices_.Equip(pod);
  if (plan_.groups) groups_.Join(pod);
  return pod;
}

void WorldActivity::CreatePod() {
  const std::string name = fmt::format("p{}", random_.Below(kPodNames));
  if (api_.Find<api::Pod>({kNamespace, name}) != nullptr) return;
  api_.Create(MakePod(name));
  if (random_.Chance(10)) api_.AddFinalizer({kNamespace, name});
}

void WorldActivity::DeletePod(Instant now) {
  if (const auto pod = AnyPod()) api_.DeletePod(*pod, now);
}

// Reuses the name at once: the scheduler may never see that it was free in between.
void WorldActivity::RecreatePod(Instant now) {
  const auto pod = AnyPod();
  if (pod == nullptr) return;
  api_.DeletePod(*pod, now);
  const api::ObjectKey key = KeyOf(pod->metadata);
  if (random_.Chance(50)) api_.FinishDeletion(key);
  if (api_.Find<api::Pod>(key) != nullptr) return;
  api_.Create(MakePod(key.name));
}

void WorldActivity::ChangePod(Instant now) {
  const auto pod = AnyPod();
  if (pod == nullptr) return;
  api::Pod changed = *pod;
  if (!changed.spec.scheduling_gates.empty()) {
    changed.spec.scheduling_gates.clear();
  } else if (plan_.relabels && random_.Chance(50)) {
    ChangePodLabels(changed, random_);
  } else {
    // A change that no scheduling rule depends on.
    changed.metadata.annotations.insert_or_assign("example.com/seen", std::to_string(now.nanos));
  }
  api_.Update(std::move(changed));
}

void WorldActivity::FinishPod() {
  const auto pod = AnyPod();
  if (pod == nullptr || pod->spec.node_name.empty() || pod->finished()) return;
  api::Pod finished = *pod;
  finished.status.phase = random_.Chance(50) ? "Succeeded" : "Failed";
  api_.Update(std::move(finished));
}

// The other scheduler checks capacity, too.
void WorldActivity::BindByIncumbent(Instant now) {
  const auto pod = AnyPod();
  const auto node = AnyNode();
  if (pod == nullptr || node == nullptr || pod->spec.scheduler_name != kIncumbent) return;
  UsedCapacity used;
  for (const auto& other : api_.All<api::Pod>()) {
    if (other->spec.node_name == node->metadata.name && !other->finished()) used.Add(*other);
  }
  if (!used.Add(*pod) || !used.Excess(*node).empty()) return;
  api_.Bind({KeyOf(pod->metadata), pod->metadata.uid, node->metadata.name}, now);
}

// Starts a pod on a node without a scheduler, as a kubelet does with a manifest. The requests of
// two such pods exceed 64 bits.
void WorldActivity::StartHugePod() {
  const auto node = AnyNode();
  const std::string name = fmt::format("huge{}", random_.Below(6));
  if (node == nullptr || api_.Find<api::Pod>({kNamespace, name}) != nullptr) return;
  api::Pod pod = RandomPod(name, plan_, /*claim=*/"", random_);
  pod.spec.node_name = node->metadata.name;
  pod.spec.scheduling_gates.clear();
  pod.spec.containers[0].resources.requests["memory"] = kHugeMemory;
  pod.status.phase = "Running";
  api_.Create(std::move(pod));
}

// --- nodes ---

api::Ref<api::Node> WorldActivity::AnyNode() {
  const auto nodes = api_.All<api::Node>();
  return nodes.empty() ? nullptr : nodes[random_.Below(nodes.size())];
}

void WorldActivity::ChangeSomeNode() {
  const auto node = AnyNode();
  if (node == nullptr) return;
  api::Node changed = *node;
  ChangeNode(changed, plan_.shrinking, random_);
  api_.Update(std::move(changed));
}

void WorldActivity::AddOrRemoveNode() {
  if (!removed_nodes_.empty() && random_.Chance(60)) {
    auto returning = removed_nodes_.extract(removed_nodes_.begin());
    if (plan_.shrinking) returning.mapped() = RandomNode(returning.key(), random_);
    api_.Create(std::move(returning.mapped()));
  } else if (const auto node = AnyNode()) {
    removed_nodes_.emplace(node->metadata.name, *node);
    api_.Remove<api::Node>({"", node->metadata.name});
  }
}

}  // namespace berth::simulation
