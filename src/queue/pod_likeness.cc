#include "queue/pod_likeness.h"

#include <algorithm>
#include <variant>

namespace berth {

PodLikeness LikenessOf(const PodRecord& pod, size_t profile) {
  PodLikeness likeness{profile, pod.pod_class, pod.labels, {}};
  for (const api::OwnerReference& owner : pod.object->metadata.owner_references) {
    if (owner.controller.value_or(false)) likeness.owner = owner.uid;
  }
  return likeness;
}

bool HasEphemeralVolumes(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::EphemeralSource>(volume.source);
  });
}

}  // namespace berth
