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

}  // namespace

Result<Object> ReadWithCaution(Object object, const UndecodableFields& undecodable) {
  using enum UndecodableFields::Part;
  const KindInfo& kind = KindOf(object);
  const auto* pod = std::get_if<Ref<Pod>>(&object);
  const bool is_nameless = kind.namespaced && undecodable.Lacks(kNamespace);
  const bool may_run_anywhere =
      undecodable.Lacks(kSpec) || undecodable.Lacks(kLabels) || undecodable.Lacks(kUid);
  if (is_nameless || (pod != nullptr && (*pod)->spec.node_name.empty() && may_run_anywhere)) {
    return Fail(
        fmt::format("{} \"{}\": {}", kind.kind, KeyOf(object).ToString(), Describe(undecodable)));
  }
  if (pod != nullptr) {
    DropClaimsWithoutNames(Mutable(*pod));
  } else if (const auto* node = std::get_if<Ref<Node>>(&object)) {
    if (undecodable.Lacks(kSpec)) Mutable(*node).spec.unschedulable = true;
  } else if (const auto* volume = std::get_if<Ref<PersistentVolume>>(&object)) {
    if (undecodable.Lacks(kNodeAffinity)) Mutable(*volume).node_affinity.emplace();
  }
  return object;
}

}  // namespace berth::api
