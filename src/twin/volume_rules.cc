#include "twin/volume_rules.h"

#include <algorithm>

#include "twin/claims.h"

namespace berth::twin {
namespace {

template <typename Source>
bool Share(const api::Volume& a, const api::Volume& b, auto&& same_disk, bool readers_may_share) {
  const auto* first = std::get_if<Source>(&a.source);
  const auto* second = std::get_if<Source>(&b.source);
  if (first == nullptr || second == nullptr || !same_disk(*first, *second)) return false;
  return !(readers_may_share && first->read_only && second->read_only);
}

// True if two pods may not use these volumes on the same node.
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
  return Share<api::GcePersistentDiskSource>(a, b, same_gce_disk, true) ||
         Share<api::AwsElasticBlockStoreSource>(a, b, same_ebs_disk, false) ||
         Share<api::IscsiSource>(a, b, same_iscsi_target, true) ||
         Share<api::RbdSource>(a, b, same_rbd_image, true);
}

bool IsExclusiveKind(const api::Volume& volume) {
  return std::holds_alternative<api::GcePersistentDiskSource>(volume.source) ||
         std::holds_alternative<api::AwsElasticBlockStoreSource>(volume.source) ||
         std::holds_alternative<api::IscsiSource>(volume.source) ||
         std::holds_alternative<api::RbdSource>(volume.source);
}

// The names of the claims that the pod mounts by name, as often as it does.
std::vector<std::string> MountedClaims(const api::Pod& pod) {
  std::vector<std::string> names;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto claim = ClaimOf(pod, volume);
    if (claim && !claim->ephemeral) names.push_back(claim->name);
  }
  return names;
}

class VolumeRestrictions final : public Rule {
 public:
  using Rule::Rule;

  PreFilterAnswer PreFilter() override {
    for (const std::string& name : MountedClaims(pod_)) {
      const auto* claim = Find(world_.claims, pod_.metadata.namespace_, name);
      if (claim == nullptr) return {Unresolvable(ClaimNotFound(name))};
      if (Contains(claim->access_modes, "ReadWriteOncePod")) exclusive_.insert(name);
    }
    for (const std::string& name : exclusive_) {
      if (IsMountedByAnyPod(name)) ++claims_in_use_;
    }
    const bool has_disks = std::ranges::any_of(pod_.spec.volumes, IsExclusiveKind);
    return {has_disks || claims_in_use_ > 0 ? Verdict() : Verdict::Skip()};
  }

  Verdict Filter(const Trial& trial) const override {
    for (const api::Volume& volume : pod_.spec.volumes) {
      for (const auto& pod : trial.pods()) {
        for (const api::Volume& other : pod->spec.volumes) {
          if (Conflict(volume, other)) return Unschedulable("node(s) had no available disk");
        }
      }
    }
    // Pods that come and go are not asked for their namespace.
    int64_t in_use = claims_in_use_;
    for (const auto& [pod, by] : trial.changes()) {
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
    for (const auto& [node_key, node] : world_.nodes) {
      for (const auto& [key, pod] : world_.PodsOn(node->metadata.name)) {
        if (key.namespace_ != pod_.metadata.namespace_) continue;
        if (Contains(MountedClaims(*pod), claim)) return true;
      }
    }
    return false;
  }

  std::set<std::string> exclusive_;  // The pod's ReadWriteOncePod claims.
  int64_t claims_in_use_ = 0;        // How many of them some pod mounts.
};

// The values of a zone label: "a__b" are two. Empty if any of them is.
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

// Each old label and the one that replaces it.
constexpr std::pair<std::string_view, std::string_view> kTopologyLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
};

class VolumeZone final : public Rule {
 public:
  using Rule::Rule;

  PreFilterAnswer PreFilter() override {
    for (const std::string& name : MountedClaims(pod_)) {
      Verdict verdict = CollectTopology(name);
      if (!verdict.ok()) return {std::move(verdict)};
    }
    return {topology_.empty() ? Verdict::Skip() : Verdict()};
  }

  Verdict Filter(const Trial& trial) const override {
    const api::StringMap& labels = trial.labels();
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
  Verdict CollectTopology(const std::string& claim_name) {
    if (claim_name.empty()) return Unresolvable("PersistentVolumeClaim had no name");
    const auto* claim = Find(world_.claims, pod_.metadata.namespace_, claim_name);
    if (claim == nullptr) return Unresolvable(ClaimNotFound(claim_name));
    if (claim->volume_name.empty()) return JudgeUnbound(*claim);
    const auto* volume = Find(world_.volumes, claim->volume_name);
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
  Verdict JudgeUnbound(const api::PersistentVolumeClaim& claim) const {
    const std::string name = ClassOf(claim);
    if (name.empty()) {
      return Unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
    }
    const auto* storage_class = Find(world_.storage_classes, name);
    if (storage_class == nullptr) {
      return Unresolvable("storageclass.storage.k8s.io \"" + name + "\" not found");
    }
    if (!storage_class->volume_binding_mode) return Unresolvable(BindingModeNotSet(name));
    if (storage_class->volume_binding_mode == "WaitForFirstConsumer") return {};
    return Unresolvable("PersistentVolume had no name");
  }

  // The labels of the pod's volumes and the values that a node may have for them.
  std::vector<std::pair<std::string, std::set<std::string>>> topology_;
};

}  // namespace

std::unique_ptr<Rule> MakeVolumeRestrictions(const Question& question) {
  return std::make_unique<VolumeRestrictions>(question);
}

std::unique_ptr<Rule> MakeVolumeZone(const Question& question) {
  return std::make_unique<VolumeZone>(question);
}

}  // namespace berth::twin
