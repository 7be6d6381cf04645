// Which events VolumeBinding's rejected pods wait for.
#include <algorithm>
#include <optional>
#include <string_view>

#include "plugins/hints.h"
#include "plugins/volume_binding.h"

namespace berth {
namespace {

// The in-tree plugins whose volumes the node leaves to CSI drivers.
std::string_view MigratedPlugins(const api::CsiNode& node) {
  const auto found = node.metadata.annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  return found == node.metadata.annotations.end() ? std::string_view() : found->second;
}

// The size of the largest volume that can be made.
const std::optional<api::Quantity>& LimitOf(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

bool LimitGrew(const api::CsiStorageCapacity& before, const api::CsiStorageCapacity& after) {
  if (!LimitOf(after)) return false;
  return !LimitOf(before) || *LimitOf(after) > *LimitOf(before);
}

bool HasInlineVolumeOf(const api::CsiDriver& driver, const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [&](const api::Volume& volume) {
    const auto* csi = std::get_if<api::CsiInlineSource>(&volume.source);
    return csi != nullptr && csi->driver == driver.metadata.name;
  });
}

// Whether the event added the object, or changed it in a way that `helps` says may help.
template <typename T, typename Helps>
Result<bool> AddedOr(const ClusterEvent& event, Helps&& helps) {
  const auto change = UpdateOf<T>(event);
  if (!change) return std::unexpected(change.error());
  return change->before == nullptr || helps(*change->before, *change->after);
}

}  // namespace

std::vector<Interest> VolumeBinding::Interests() const {
  return {{{Resource::kStorageClass, kAdd | kUpdate}},
          {{Resource::kPersistentVolumeClaim, kAdd | kUpdate}},
          {{Resource::kPersistentVolume, kAdd | kUpdate}, /*conditional=*/false},
          {{Resource::kNode, kAdd | kUpdateNodeLabel}, /*conditional=*/false},
          {{Resource::kCsiNode, kAdd | kUpdate}},
          {{Resource::kCsiDriver, kUpdate}},
          {{Resource::kCsiStorageCapacity, kAdd | kUpdate}}};
}

Result<bool> VolumeBinding::MayHelp(const Cluster&, const PodRecord& pod,
                                    const ClusterEvent& event) const {
  switch (KindOf(event)) {
    case Resource::kStorageClass:
      return AddedOr<api::StorageClass>(event, [](const auto& before, const auto& after) {
        return before.allowed_topologies != after.allowed_topologies;
      });
    case Resource::kCsiNode:
      return AddedOr<api::CsiNode>(event, [](const auto& before, const auto& after) {
        return MigratedPlugins(before) != MigratedPlugins(after);
      });
    case Resource::kCsiStorageCapacity:
      return AddedOr<api::CsiStorageCapacity>(event, LimitGrew);
    case Resource::kCsiDriver: {
      const auto driver = ChangeOf<api::CsiDriver>(event);
      if (!driver) return std::unexpected(driver.error());
      if (driver->before == nullptr || driver->after == nullptr) return false;
      return driver->before->storage_capacity == true && driver->after->storage_capacity != true &&
             HasInlineVolumeOf(*driver->after, pod.object->spec);
    }
    default: {
      const auto claim = UpdateOf<api::PersistentVolumeClaim>(event);
      if (!claim) return std::unexpected(claim.error());
      return UsesClaim(*pod.object, *claim->after);
    }
  }
}

}  // namespace berth
