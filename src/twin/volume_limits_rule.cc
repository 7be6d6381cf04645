#include "base/result.h"
#include "twin/claims.h"
#include "twin/csi_migration.h"
#include "twin/volume_rules.h"

namespace berth::twin {
namespace {

// The volumes that a node has to attach, as "driver/handle", with their drivers.
using Attached = std::map<std::string, std::string>;

class NodeVolumeLimits final : public Rule {
 public:
  using Rule::Rule;

  PreFilterAnswer PreFilter() override {
    for (const api::Volume& volume : pod_.spec.volumes) {
      if (ClaimOf(pod_, volume) || !InTreePlugin(volume.source).empty()) return {};
    }
    return {Verdict::Skip()};
  }

  Verdict Filter(const Trial& trial) const override {
    const auto* csi_node = Find(world_.csi_nodes, trial.name());
    Attached wanted;
    Verdict verdict = Collect(pod_, csi_node, /*incoming=*/true, wanted);
    if (!verdict.ok() || wanted.empty()) return verdict;
    const std::map<std::string, int64_t> limits = LimitsOf(csi_node);
    if (limits.empty()) return {};

    Attached present;
    for (const auto& pod : trial.pods()) {
      verdict = Collect(*pod, csi_node, /*incoming=*/false, present);
      if (!verdict.ok()) return verdict;
    }
    for (const auto& [volume, driver] : present) wanted.erase(volume);
    AddAttachments(trial.name(), present);

    for (const auto& [driver, limit] : limits) {
      const int64_t more = Count(wanted, driver);
      if (more > 0 && Count(present, driver) + more > limit) {
        return Unschedulable("node(s) exceed max volume count");
      }
    }
    return {};
  }

 private:
  static int64_t Count(const Attached& volumes, const std::string& driver) {
    int64_t count = 0;
    for (const auto& [volume, its_driver] : volumes) count += its_driver == driver ? 1 : 0;
    return count;
  }

  static std::map<std::string, int64_t> LimitsOf(const api::CsiNode* csi_node) {
    std::map<std::string, int64_t> limits;
    if (csi_node == nullptr) return limits;
    for (const api::CsiNodeDriver& driver : csi_node->drivers) {
      if (driver.allocatable_count) limits[driver.name] = *driver.allocatable_count;
    }
    return limits;
  }

  static bool IsMigrated(const api::CsiNode* csi_node, std::string_view plugin) {
    return csi_node != nullptr && CountsAsMigrated(plugin);
  }

  // Adds the pod's volumes. Claims that are missing count only against the incoming pod.
  Verdict Collect(const api::Pod& pod, const api::CsiNode* csi_node, bool incoming,
                  Attached& volumes) const {
    for (const api::Volume& volume : pod.spec.volumes) {
      const auto name = ClaimOf(pod, volume);
      if (!name) {
        const std::string plugin = InTreePlugin(volume.source);
        if (!IsMigrated(csi_node, plugin)) continue;
        const auto handle = MigratedHandle(volume.source);
        if (!handle) return Verdict::Error(handle.error().message);
        AddVolume(MigratedDriver(plugin), *handle, volumes);
        continue;
      }
      if (name->name.empty()) return Verdict::Error("PersistentVolumeClaim had no name");
      const auto* claim = Find(world_.claims, pod.metadata.namespace_, name->name);
      if (claim == nullptr) {
        if (!incoming) continue;
        return Unresolvable("looking up PVC " + pod.metadata.namespace_ + "/" + name->name + ": " +
                            ClaimNotFound(name->name));
      }
      if (name->ephemeral && !IsOwnedBy(*claim, pod)) return Verdict::Error(NotOwner(*claim, pod));
      AddClaim(*claim, csi_node, volumes);
    }
    return {};
  }

  static void AddVolume(const std::string& driver, const std::string& handle, Attached& volumes) {
    if (!driver.empty() && !handle.empty()) volumes[driver + "/" + handle] = driver;
  }

  void AddClaim(const api::PersistentVolumeClaim& claim, const api::CsiNode* csi_node,
                Attached& volumes) const {
    const auto* volume = Find(world_.volumes, claim.volume_name);
    if (claim.volume_name.empty() || volume == nullptr) {
      AddUnboundClaim(claim, csi_node, volumes);
    } else if (const auto* csi = std::get_if<api::CsiPersistentVolumeSource>(&volume->source)) {
      AddVolume(csi->driver, csi->volume_handle, volumes);
    } else {
      const std::string plugin = InTreePlugin(volume->source);
      if (!IsMigrated(csi_node, plugin)) return;
      const auto handle = MigratedHandle(*volume);
      if (handle) AddVolume(MigratedDriver(plugin), *handle, volumes);
    }
  }

  // A volume that is yet to be made counts for the driver that will make it.
  void AddUnboundClaim(const api::PersistentVolumeClaim& claim, const api::CsiNode* csi_node,
                       Attached& volumes) const {
    const auto* storage_class = Find(world_.storage_classes, ClassOf(claim));
    if (storage_class == nullptr) return;
    std::string driver = storage_class->provisioner;
    if (!MigratedDriver(driver).empty()) {
      if (!IsMigrated(csi_node, driver)) return;
      driver = MigratedDriver(driver);
    }
    // No real volume has such a handle.
    const std::string handle =
        "unbound claim " + claim.metadata.namespace_ + "/" + claim.metadata.name;
    AddVolume(driver, handle, volumes);
  }

  // Volumes that are attached to the node though no pod on it uses them.
  void AddAttachments(const std::string& node, Attached& volumes) const {
    for (const auto& [key, attachment] : world_.attachments) {
      if (attachment->node_name != node || attachment->attacher.empty()) continue;
      const auto* volume = Find(world_.volumes, attachment->persistent_volume_name.value_or(""));
      if (volume == nullptr) continue;
      const auto* csi = std::get_if<api::CsiPersistentVolumeSource>(&volume->source);
      if (csi != nullptr) {
        volumes.try_emplace(attachment->attacher + "/" + csi->volume_handle, attachment->attacher);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Rule> MakeNodeVolumeLimits(const Question& question) {
  return std::make_unique<NodeVolumeLimits>(question);
}

}  // namespace berth::twin
