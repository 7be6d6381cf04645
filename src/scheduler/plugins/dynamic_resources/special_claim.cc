#include "scheduler/plugins/dynamic_resources/special_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "scheduler/devices/extended_resources.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"

namespace berth::scheduler::plugins {
namespace {

// FNV-1a: the same on all machines.
uint64_t Hash(std::string_view text, uint64_t hash) {
  for (const char c : text) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

// A uid in the form of a random UUID.
std::string MakeUid(std::string_view text) {
  const uint64_t high = Hash(text, 0xcbf29ce484222325);
  const uint64_t low = Hash(text, high);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffff);
}

bool RequestsDeviceResources(const framework::Cycle& cycle) {
  const model::Cluster& cluster = cycle.cluster();
  return std::ranges::any_of(cycle.pod_class().requests.scalars, [&](const auto& scalar) {
    const std::string& name = cluster.scalars().Text(scalar.id);
    return scalar.amount != 0 && devices::IsDeviceResource(name) &&
           cluster.devices().extended_resources().Find(name) != nullptr;
  });
}

}  // namespace

model::ClaimRef SpecialClaimOf(const framework::Cycle& cycle) {
  if (!RequestsDeviceResources(cycle)) return nullptr;
  const api::Pod& pod = *cycle.pod().object;
  if (model::ClaimRef found = cycle.cluster().devices().FindSpecialClaim(pod)) return found;
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->metadata.namespace_ = pod.metadata.namespace_;
  claim->metadata.name = kSpecialClaimName;
  claim->metadata.uid = MakeUid("special claim of " + pod.metadata.uid);
  claim->metadata.annotations.emplace(kSpecialClaimAnnotation, "true");
  claim->metadata.owner_references.push_back({.api_version = "v1",
                                              .kind = "Pod",
                                              .name = pod.metadata.name,
                                              .uid = pod.metadata.uid,
                                              .controller = true});
  return claim;
}

std::string MakeShareId(const api::ResourceClaim& claim, size_t result) {
  return MakeUid(fmt::format("share {} of {} {}", result, claim.metadata.uid,
                             claim.metadata.resource_version));
}

}  // namespace berth::scheduler::plugins
