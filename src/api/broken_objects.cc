#include "api/broken_objects.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>

namespace berth::api {
namespace {

// The cast is safe: no other reference exists yet.
template <typename T>
T& Mutable(const Ref<T>& object) {
  return const_cast<T&>(*object);
}

std::string Describe(const UndecodableFields& undecodable) {
  const UndecodableFields::Field& first = undecodable.described().front();
  return first.path.empty() ? first.problem : first.path + ": " + first.problem;
}

void DropClaimsWithoutNames(Pod& pod) {
  for (Volume& volume : pod.spec.volumes) {
    const auto* claim = std::get_if<PersistentVolumeClaimSource>(&volume.source);
    if (claim != nullptr && claim->claim_name.empty()) volume.source = {};
  }
}

// Reports whether the scheduler must not see the object, given what it lacks.
bool MayMislead(const Object& object, const UndecodableFields& undecodable) {
  using enum UndecodableFields::Part;
  if (KindOf(object).namespaced && undecodable.Lacks(kNamespace)) return true;
  if (const auto* pod = std::get_if<Ref<Pod>>(&object)) {
    return (*pod)->spec.node_name.empty() &&
           (undecodable.Lacks(kSpec) || undecodable.Lacks(kLabels) || undecodable.Lacks(kUid));
  }
  if (const auto* claim = std::get_if<Ref<ResourceClaim>>(&object)) {
    return undecodable.Lacks(kSpec) && !undecodable.Lacks(kStatus) && !(*claim)->status.allocation;
  }
  const bool offers_devices = std::holds_alternative<Ref<DeviceClass>>(object) ||
                              std::holds_alternative<Ref<ResourceSlice>>(object);
  const bool is_group = std::holds_alternative<Ref<PodGroup>>(object);
  return (offers_devices || is_group) && undecodable.Lacks(kSpec);
}

void AllocateForNoNode(ResourceClaim& claim) {
  if (!claim.status.allocation) claim.status.allocation.emplace();
  claim.status.allocation->node_selector.emplace();
}

}  // namespace

Result<Object> ReadWithCaution(Object object, const UndecodableFields& undecodable) {
  using enum UndecodableFields::Part;
  const KindInfo& kind = KindOf(object);
  if (MayMislead(object, undecodable)) {
    return Fail(
        fmt::format("{} \"{}\": {}", kind.kind, KeyOf(object).ToString(), Describe(undecodable)));
  }
  if (const auto* pod = std::get_if<Ref<Pod>>(&object)) {
    DropClaimsWithoutNames(Mutable(*pod));
  } else if (const auto* node = std::get_if<Ref<Node>>(&object)) {
    if (undecodable.Lacks(kSpec)) Mutable(*node).spec.unschedulable = true;
  } else if (const auto* volume = std::get_if<Ref<PersistentVolume>>(&object)) {
    if (undecodable.Lacks(kNodeAffinity)) Mutable(*volume).node_affinity.emplace();
  } else if (const auto* claim = std::get_if<Ref<ResourceClaim>>(&object)) {
    if (undecodable.Lacks(kStatus)) AllocateForNoNode(Mutable(*claim));
  }
  return object;
}

}  // namespace berth::api
