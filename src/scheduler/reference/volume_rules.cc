#include <algorithm>

#include "base/result.h"
#include "scheduler/reference/rules.h"
#include "scheduler/reference/volumes.h"

namespace berth::scheduler::reference {
namespace {

template <typename Source>
bool Clash(const api::Volume& a, const api::Volume& b, auto&& same_disk, bool readers_may_share) {
  const auto* first = std::get_if<Source>(&a.source);
  const auto* second = std::get_if<Source>(&b.source);
  if (first == nullptr || second == nullptr || !same_disk(*first, *second)) return false;
  return !(readers_may_share && first->read_only && second->read_only);
}

// Reports whether two pods may not use these volumes on the same node.
bool Conflict(const api::Volume& a, const api::Volume& b) {
  const auto same_gce_disk = [](const auto& x, const auto& y) { return x.pd_name == y.pd_name; };
  const auto same_ebs_disk = [](const auto& x, const auto& y) {
    return x.volume_id == y.volume_id;
  };
  const auto same_iscsi_target = [](const auto& x, const auto& y) { return x.iqn == y.iqn; };
  const auto same_rbd_image = [](const auto& x, const auto& y) {
    return x.pool == y.pool && x.image == y.image &&
           std::ranges::find_first_of(x.monitors, y.monitors) != x.monitors.end();
  };
  return Clash<api::GcePersistentDiskSource>(a, b, same_gce_disk, true) ||
         Clash<api::AwsElasticBlockStoreSource>(a, b, same_ebs_disk, false) ||
         Clash<api::IscsiSource>(a, b, same_iscsi_target, true) ||
         Clash<api::RbdSource>(a, b, same_rbd_image, true);
}

bool IsExclusiveKind(const api::Volume& volume) {
  return std::holds_alternative<api::GcePersistentDiskSource>(volume.source) ||
         std::holds_alternative<api::AwsElasticBlockStoreSource>(volume.source) ||
         std::holds_alternative<api::IscsiSource>(volume.source) ||
         std::holds_alternative<api::RbdSource>(volume.source);
}

// Returns the names of the claims that the pod mounts by name, with repetitions.
std::vector<std::string> MountedClaims(const api::Pod& pod) {
  std::vector<std::string> names;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto claim = ClaimOf(pod, volume);
    if (claim && !claim->ephemeral) names.push_back(claim->name);
  }
  return names;
}

// VolumeRestrictions rejects nodes where another pod uses the same exclusive volume.
class VolumeRestrictions final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    for (const std::string& name : MountedClaims(pod_)) {
      const auto* claim = Find(snapshot_.claims, pod_.metadata.namespace_, name);
      if (claim == nullptr) return {Unresolvable(ClaimNotFound(name))};
      if (Contains(claim->access_modes, "ReadWriteOncePod")) exclusive_.insert(name);
    }
    for (const std::string& name : exclusive_) {
      if (IsMountedByAnyPod(name)) ++claims_in_use_;
    }
    const bool has_disks = std::ranges::any_of(pod_.spec.volumes, IsExclusiveKind);
    return {has_disks || claims_in_use_ > 0 ? framework::Verdict() : framework::Verdict::Skip()};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    for (const api::Volume& volume : pod_.spec.volumes) {
      for (const auto& pod : node_state.pods()) {
        for (const api::Volume& other : pod->spec.volumes) {
          if (Conflict(volume, other)) return Unschedulable("node(s) had no available disk");
        }
      }
    }
    // As in kube-scheduler, the namespaces of added and removed pods are not compared.
    int64_t in_use = claims_in_use_;
    for (const auto& [pod, by] : node_state.changes()) {
      for (const std::string& name : MountedClaims(*pod)) {
        if (exclusive_.contains(name)) in_use += by;
      }
    }
    if (in_use > 0) {
      return Unschedulable(
          "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
          "already in-use by another pod");
    }
    return {};
  }

 private:
  bool IsMountedByAnyPod(const std::string& claim) const {
    for (const auto& [node_key, node] : snapshot_.nodes) {
      for (const auto& [key, pod] : snapshot_.PodsOn(node->metadata.name)) {
        if (key.namespace_ != pod_.metadata.namespace_) continue;
        if (Contains(MountedClaims(*pod), claim)) return true;
      }
    }
    return false;
  }

  std::set<std::string> exclusive_;  // The pod's ReadWriteOncePod claims.
  int64_t claims_in_use_ = 0;        // How many of them some pod mounts.
};

// Splits a zone label such as "a__b". Returns an empty set if any part is empty.
std::set<std::string> ZonesIn(std::string_view label) {
  std::set<std::string> zones;
  for (bool more = true; more;) {
    const size_t end = label.find("__");
    std::string_view zone = label.substr(0, end);
    more = end != std::string_view::npos;
    if (more) label.remove_prefix(end + 2);
    while (zone.starts_with(' ')) zone.remove_prefix(1);
    while (zone.ends_with(' ')) zone.remove_suffix(1);
    if (zone.empty()) return {};
    zones.emplace(zone);
  }
  return zones;
}

// Each deprecated label and its replacement.
constexpr std::pair<std::string_view, std::string_view> kTopologyLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
};

// VolumeZone rejects nodes outside the zones of the pod's bound volumes.
class VolumeZone final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    for (const std::string& name : MountedClaims(pod_)) {
      framework::Verdict verdict = CollectTopology(name);
      if (!verdict.ok()) return {std::move(verdict)};
    }
    return {topology_.empty() ? framework::Verdict::Skip() : framework::Verdict()};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    const api::StringMap& labels = node_state.labels();
    const bool has_topology = std::ranges::any_of(kTopologyLabels, [&](const auto& pair) {
      return labels.contains(pair.first) || labels.contains(pair.second);
    });
    if (!has_topology) return {};
    for (const auto& [key, zones] : topology_) {
      const std::string* value = Find(labels, key);
      for (const auto& [old_key, new_key] : kTopologyLabels) {
        if (value == nullptr && key == old_key) value = Find(labels, new_key);
      }
      if (value == nullptr || !zones.contains(*value)) {
        return Unresolvable("node(s) had no available volume zone");
      }
    }
    return {};
  }

 private:
  framework::Verdict CollectTopology(const std::string& claim_name) {
    if (claim_name.empty()) return Unresolvable("PersistentVolumeClaim had no name");
    const auto* claim = Find(snapshot_.claims, pod_.metadata.namespace_, claim_name);
    if (claim == nullptr) return Unresolvable(ClaimNotFound(claim_name));
    if (claim->volume_name.empty()) return CheckUnbound(*claim);
    const auto* volume = Find(snapshot_.volumes, claim->volume_name);
    if (volume == nullptr) {
      return Unresolvable("persistentvolume \"" + claim->volume_name + "\" not found");
    }
    for (const auto& [old_key, new_key] : kTopologyLabels) {
      for (const std::string_view key : {old_key, new_key}) {
        const std::string* label = Find(volume->metadata.labels, key);
        if (label == nullptr) continue;
        std::set<std::string> zones = ZonesIn(*label);
        if (!zones.empty()) topology_.emplace_back(key, std::move(zones));
      }
    }
    return {};
  }

  // A claim may be unbound only if it waits for its first pod.
  framework::Verdict CheckUnbound(const api::PersistentVolumeClaim& claim) const {
    const std::string name = ClassOf(claim);
    if (name.empty()) {
      return Unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
    }
    const auto* storage_class = Find(snapshot_.storage_classes, name);
    if (storage_class == nullptr) {
      return Unresolvable("storageclass.storage.k8s.io \"" + name + "\" not found");
    }
    if (!storage_class->volume_binding_mode) return Unresolvable(BindingModeNotSet(name));
    if (storage_class->volume_binding_mode == "WaitForFirstConsumer") return {};
    return Unresolvable("PersistentVolume had no name");
  }

  // The topology labels of the pod's volumes and their allowed values.
  std::vector<std::pair<std::string, std::set<std::string>>> topology_;
};

}  // namespace

std::unique_ptr<Rule> MakeVolumeRestrictions(const EvaluationInput& input) {
  return std::make_unique<VolumeRestrictions>(input);
}

std::unique_ptr<Rule> MakeVolumeZone(const EvaluationInput& input) {
  return std::make_unique<VolumeZone>(input);
}

namespace {

// Attached volumes as "driver/handle", with their drivers.
using Attached = std::map<std::string, std::string>;

// NodeVolumeLimits rejects nodes that cannot attach as many volumes.
class NodeVolumeLimits final : public Rule {
 public:
  using Rule::Rule;

  PreFilterOutcome PreFilter() override {
    for (const api::Volume& volume : pod_.spec.volumes) {
      if (ClaimOf(pod_, volume) || !InTreePlugin(volume.source).empty()) return {};
    }
    return {framework::Verdict::Skip()};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    const auto* csi_node = Find(snapshot_.csi_nodes, node_state.name());
    Attached wanted;
    framework::Verdict verdict = Collect(pod_, csi_node, /*incoming=*/true, wanted);
    if (!verdict.ok() || wanted.empty()) return verdict;
    if (profile_.features.volume_limit_scaling) {
      std::set<std::string> drivers;
      for (const auto& [volume, driver] : wanted) drivers.insert(driver);
      for (const std::string& driver : drivers) {
        if (MustBeInstalled(driver) && !IsInstalled(driver, csi_node))
          return Unschedulable(driver + " CSI driver is not installed on the node");
      }
    }
    const std::map<std::string, int64_t> limits = LimitsOf(csi_node);
    if (limits.empty()) return {};

    Attached present;
    for (const auto& pod : node_state.pods()) {
      verdict = Collect(*pod, csi_node, /*incoming=*/false, present);
      if (!verdict.ok()) return verdict;
    }
    for (const auto& [volume, driver] : present) wanted.erase(volume);
    AddAttachments(node_state.name(), present);

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

  bool MustBeInstalled(const std::string& driver) const {
    const auto* found = Find(snapshot_.csi_drivers, driver);
    return found != nullptr && found->prevent_pod_scheduling_if_missing == true;
  }

  static bool IsInstalled(const std::string& driver, const api::CsiNode* csi_node) {
    return csi_node != nullptr &&
           std::ranges::any_of(csi_node->drivers, [&](const auto& d) { return d.name == driver; });
  }

  static bool IsMigrated(const api::CsiNode* csi_node, std::string_view plugin) {
    return csi_node != nullptr && CountsAsMigrated(plugin);
  }

  // Adds the pod's volumes. Missing claims are an error only for the incoming pod.
  framework::Verdict Collect(const api::Pod& pod, const api::CsiNode* csi_node, bool incoming,
                             Attached& volumes) const {
    for (const api::Volume& volume : pod.spec.volumes) {
      const auto name = ClaimOf(pod, volume);
      if (!name) {
        const std::string plugin = InTreePlugin(volume.source);
        if (!IsMigrated(csi_node, plugin)) continue;
        const auto handle = MigratedHandle(volume.source);
        if (!handle) return framework::Verdict::Error(handle.error().message);
        AddVolume(MigratedDriver(plugin), *handle, volumes);
        continue;
      }
      if (name->name.empty()) return framework::Verdict::Error("PersistentVolumeClaim had no name");
      const auto* claim = Find(snapshot_.claims, pod.metadata.namespace_, name->name);
      if (claim == nullptr) {
        if (!incoming) continue;
        return Unresolvable("looking up PVC " + pod.metadata.namespace_ + "/" + name->name + ": " +
                            ClaimNotFound(name->name));
      }
      if (name->ephemeral && !IsOwnedBy(*claim, pod))
        return framework::Verdict::Error(NotOwner(*claim, pod));
      AddClaim(*claim, csi_node, volumes);
    }
    return {};
  }

  static void AddVolume(const std::string& driver, const std::string& handle, Attached& volumes) {
    if (!driver.empty() && !handle.empty()) volumes[driver + "/" + handle] = driver;
  }

  void AddClaim(const api::PersistentVolumeClaim& claim, const api::CsiNode* csi_node,
                Attached& volumes) const {
    const auto* volume = Find(snapshot_.volumes, claim.volume_name);
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

  // A volume that is not provisioned yet counts for its future driver.
  void AddUnboundClaim(const api::PersistentVolumeClaim& claim, const api::CsiNode* csi_node,
                       Attached& volumes) const {
    const auto* storage_class = Find(snapshot_.storage_classes, ClassOf(claim));
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

  // Adds volumes that are attached to the node though no pod on it uses them.
  void AddAttachments(const std::string& node, Attached& volumes) const {
    for (const auto& [key, attachment] : snapshot_.attachments) {
      if (attachment->node_name != node || attachment->attacher.empty()) continue;
      const auto* volume = Find(snapshot_.volumes, attachment->persistent_volume_name.value_or(""));
      if (volume == nullptr) continue;
      const auto* csi = std::get_if<api::CsiPersistentVolumeSource>(&volume->source);
      if (csi != nullptr) {
        volumes.try_emplace(attachment->attacher + "/" + csi->volume_handle, attachment->attacher);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Rule> MakeNodeVolumeLimits(const EvaluationInput& input) {
  return std::make_unique<NodeVolumeLimits>(input);
}

}  // namespace berth::scheduler::reference
