#include "simulation/device_activity.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/device_population.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

constexpr const char* kTemplate = "made";  // The only entry of a pod with a template.
constexpr uint64_t kSharedClaims = 3;

std::string SharedClaim(uint64_t number) { return fmt::format("shared{}", number); }

// The pod that the claim was made for; null if it was not made for one.
const api::OwnerReference* OwnerOf(const api::ResourceClaim& claim) {
  const auto& owners = claim.metadata.owner_references;
  return owners.empty() ? nullptr : &owners[0];
}

bool IsTrue(const api::ResourceClaim& claim, const api::DeviceRequestAllocationResult& result) {
  return std::ranges::any_of(claim.status.devices, [&](const api::AllocatedDeviceStatus& device) {
    return device.device == result.device && device.pool == result.pool &&
           device.driver == result.driver &&
           std::ranges::any_of(device.conditions, [](const api::DeviceCondition& condition) {
             return condition.status == "True";
           });
  });
}

}  // namespace

bool IsAlive(const ApiModel& api, const std::string& name, const std::string& uid) {
  const auto pod = api.Find<api::Pod>({kNamespace, name});
  return pod != nullptr && pod->metadata.uid == uid && !pod->finished();
}

void DeviceActivity::Begin() {
  for (api::DeviceClass& made : MakeDeviceClasses()) api_.Create(std::move(made));
  for (const auto& node : api_.All<api::Node>()) {
    for (api::ResourceSlice& slice : RandomSlices(node->metadata.name, random_))
      api_.Create(std::move(slice));
  }
  for (uint64_t i = 0; i < kSharedClaims; ++i)
    api_.Create(RandomDeviceClaim(SharedClaim(i), random_));
}

void DeviceActivity::Equip(api::Pod& pod) {
  if (pod.spec.scheduler_name != kOurScheduler || !random_.Chance(70)) return;
  const uint64_t choice = random_.Below(100);
  if (choice < 40) {
    pod.spec.resource_claims.push_back(
        {.name = kTemplate, .resource_claim_name = {}, .resource_claim_template_name = "template"});
  } else if (choice < 70) {
    pod.spec.resource_claims.push_back(
        {.name = "shared",
         .resource_claim_name = SharedClaim(random_.Below(kSharedClaims)),
         .resource_claim_template_name = {}});
  } else {
    pod.spec.containers[0].resources.requests[kGpuResource] = api::Quantity::FromValue(1);
  }
}

void DeviceActivity::Act(Instant now) {
  now_ = now;
  const uint64_t choice = random_.Below(100);
  if (choice < 55) {
    RunClaimController();
  } else if (choice < 75) {
    ReportConditions(/*calm=*/false);
  } else if (choice < 92) {
    ChangeSlice();
  } else {
    ChangeSharedClaim();
  }
}

bool DeviceActivity::WindDown() { return RunClaimController() || ReportConditions(/*calm=*/true); }

// --- the resourceclaim controller ---

bool DeviceActivity::RunClaimController() {
  for (const auto& pod : api_.All<api::Pod>()) {
    if (CreateClaimOf(*pod)) return true;
  }
  for (const auto& claim : api_.All<api::ResourceClaim>()) {
    if (SyncClaim(*claim)) return true;
  }
  return false;
}

bool DeviceActivity::CreateClaimOf(const api::Pod& pod) {
  const auto& entries = pod.spec.resource_claims;
  const bool wanted = !entries.empty() && entries[0].resource_claim_template_name &&
                      pod.status.resource_claim_statuses.empty();
  if (!wanted || pod.finished() || pod.metadata.deletion_timestamp) return false;
  api::ResourceClaim claim =
      RandomDeviceClaim(fmt::format("{}-made-{}", pod.metadata.name, ++last_claim_), random_);
  claim.metadata.owner_references.push_back(
      {"v1", "Pod", pod.metadata.name, pod.metadata.uid, true});
  api::Pod shown = pod;
  shown.status.resource_claim_statuses.push_back(
      {.name = kTemplate, .resource_claim_name = claim.metadata.name});
  api_.Create(std::move(claim));
  api_.Update(std::move(shown));
  return true;
}

bool DeviceActivity::SyncClaim(const api::ResourceClaim& claim) {
  api::ResourceClaim synced = claim;
  auto& users = synced.status.reserved_for;
  const size_t dropped =
      std::erase_if(users, [&](const auto& user) { return !IsAlive(api_, user.name, user.uid); });
  const bool going = claim.metadata.deletion_timestamp.has_value();
  const bool unused = users.empty() && (dropped > 0 || going);
  if (dropped > 0 || (unused && claim.status.allocation)) {
    if (unused) synced.status = {};
    api_.UpdateClaim(std::move(synced));
    return true;
  }
  if (going && unused && !claim.metadata.finalizers.empty()) {
    synced.metadata.finalizers.clear();
    api_.UpdateClaim(std::move(synced));
    return true;
  }
  const api::OwnerReference* owner = OwnerOf(claim);
  if (going || owner == nullptr || IsAlive(api_, owner->name, owner->uid)) return false;
  api_.DeleteClaim(claim, now_);
  return true;
}

// --- drivers ---

bool DeviceActivity::ReportConditions(bool calm) {
  for (const auto& claim : api_.All<api::ResourceClaim>()) {
    if (!claim->status.allocation) continue;
    for (const api::DeviceRequestAllocationResult& result : claim->status.allocation->results) {
      if (result.binding_conditions.empty() || IsTrue(*claim, result)) continue;
      if (!calm && random_.Chance(50)) continue;
      api::ResourceClaim reported = *claim;
      const bool fails = !calm && random_.Chance(20);
      reported.status.devices.push_back({.driver = result.driver,
                                         .pool = result.pool,
                                         .device = result.device,
                                         .share_id = {},
                                         .conditions = {{.type = fails ? kBroken : kReady,
                                                         .status = "True",
                                                         .reason = "Tried",
                                                         .message = "by the driver"}}});
      api_.UpdateClaim(std::move(reported));
      return true;
    }
  }
  return false;
}

// Devices are tainted, added and replaced by a new generation, and whole slices come and go.
void DeviceActivity::ChangeSlice() {
  if (!removed_slices_.empty() && random_.Chance(50)) {
    api_.Create(std::move(removed_slices_.back()));
    return removed_slices_.pop_back();
  }
  const auto slices = api_.All<api::ResourceSlice>();
  if (slices.empty()) return;
  api::ResourceSlice slice = *slices[random_.Below(slices.size())];
  if (slice.driver == kGpuDriver && random_.Chance(20)) {
    api_.Remove<api::ResourceSlice>({"", slice.metadata.name});
    return removed_slices_.push_back(std::move(slice));
  }
  if (slice.devices.empty()) return;
  if (slice.driver == kGpuDriver && slice.devices.size() < 4 && random_.Chance(40)) {
    api::Device device = slice.devices.back();
    device.name = fmt::format("gpu-{}", slice.devices.size());
    slice.devices.push_back(std::move(device));
    ++slice.pool.generation;
  } else {
    auto& taints = slice.devices[random_.Below(slice.devices.size())].taints;
    if (taints.empty()) {
      taints.push_back({.key = "example.com/hot", .value = "", .effect = "NoSchedule"});
    } else {
      taints.clear();
    }
  }
  api_.Update(std::move(slice));
}

// A user deletes a claim, and creates another of the same name.
void DeviceActivity::ChangeSharedClaim() {
  const std::string name = SharedClaim(random_.Below(kSharedClaims));
  const auto claim = api_.Find<api::ResourceClaim>({kNamespace, name});
  if (claim == nullptr) {
    api_.Create(RandomDeviceClaim(name, random_));
  } else {
    api_.DeleteClaim(*claim, now_);
  }
}

}  // namespace berth::simulation
