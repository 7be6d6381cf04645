#include "scheduler/reference/volumes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

}  // namespace

std::optional<ClaimName> ClaimOf(const api::Pod& pod, const api::Volume& volume) {
  if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
    return ClaimName{claim->claim_name};
  }
  if (std::holds_alternative<api::EphemeralSource>(volume.source)) {
    return ClaimName{pod.metadata.name + "-" + volume.name, /*ephemeral=*/true};
  }
  return std::nullopt;
}

std::string ClassOf(const api::PersistentVolumeClaim& claim) {
  const std::string* annotation = Find(claim.metadata.annotations, kClassAnnotation);
  return annotation != nullptr ? *annotation : claim.storage_class_name.value_or("");
}

std::string ClassOf(const api::PersistentVolume& volume) {
  const std::string* annotation = Find(volume.metadata.annotations, kClassAnnotation);
  return annotation != nullptr ? *annotation : volume.storage_class_name;
}

bool IsOwnedBy(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  const auto& owners = claim.metadata.owner_references;
  const auto owner =
      std::ranges::find_if(owners, [](const auto& o) { return o.controller == true; });
  return owner != owners.end() && owner->uid == pod.metadata.uid;
}

std::string ClaimNotFound(const std::string& name) {
  return "persistentvolumeclaim \"" + name + "\" not found";
}

std::string NotOwner(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  return "PVC " + claim.metadata.namespace_ + "/" + claim.metadata.name +
         " was not created for pod " + pod.metadata.namespace_ + "/" + pod.metadata.name +
         " (pod is not owner)";
}

std::string BindingModeNotSet(const std::string& storage_class) {
  return "VolumeBindingMode not set for StorageClass \"" + storage_class + "\"";
}

namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kOldZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kOldRegion = "failure-domain.beta.kubernetes.io/region";

struct Migration {
  std::string_view driver;
  bool counts = true;               // Against the driver's limits.
  std::string_view topology_key{};  // Empty: node affinity stays as it is.
};

const Migration* FindMigration(std::string_view plugin) {
  static const std::map<std::string_view, Migration> kMigrations = {
      {"kubernetes.io/aws-ebs", {"ebs.csi.aws.com", true, "topology.ebs.csi.aws.com/zone"}},
      {"kubernetes.io/gce-pd", {"pd.csi.storage.gke.io", true, "topology.gke.io/zone"}},
      {"kubernetes.io/cinder",
       {"cinder.csi.openstack.org", true, "topology.cinder.csi.openstack.org/zone"}},
      {"kubernetes.io/azure-disk", {"disk.csi.azure.com"}},
      {"kubernetes.io/portworx-volume", {"pxd.portworx.com"}},
      {"kubernetes.io/azure-file", {"file.csi.azure.com", false}},
      {"kubernetes.io/vsphere-volume", {"csi.vsphere.vmware.com", false}},
  };
  const auto found = kMigrations.find(plugin);
  return found == kMigrations.end() ? nullptr : &found->second;
}

template <typename Source>
std::string PluginOf(const Source& source) {
  if (std::holds_alternative<api::AwsElasticBlockStoreSource>(source))
    return "kubernetes.io/aws-ebs";
  if (std::holds_alternative<api::GcePersistentDiskSource>(source)) return "kubernetes.io/gce-pd";
  if (std::holds_alternative<api::AzureDiskSource>(source)) return "kubernetes.io/azure-disk";
  if (std::holds_alternative<api::AzureFileSource>(source)) return "kubernetes.io/azure-file";
  if (std::holds_alternative<api::CinderSource>(source)) return "kubernetes.io/cinder";
  if (std::holds_alternative<api::VsphereSource>(source)) return "kubernetes.io/vsphere-volume";
  if (std::holds_alternative<api::PortworxSource>(source)) return "kubernetes.io/portworx-volume";
  return "";
}

std::vector<std::string> Split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (size_t at = text.find(by); at != std::string_view::npos; at = text.find(by)) {
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + by.size());
  }
  parts.emplace_back(text);
  return parts;
}

// "vol-1" or "aws://zone/vol-1".
Result<std::string> AwsHandle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  id.remove_prefix(kScheme.size());
  const size_t slash = id.find('/');
  id = slash == std::string_view::npos ? "" : id.substr(slash + 1);
  if (!id.starts_with("vol-") || id.find('/') != std::string_view::npos) {
    return Fail("invalid volume ID");
  }
  return std::string(id);
}

// "europe-west1" for "europe-west1-b"; the zones must be of one region.
Result<std::string> GceRegion(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    const std::vector<std::string> parts = Split(zone, "-");
    if (parts.size() != 3) return Fail("zone in unexpected format: " + zone);
    regions.insert(parts[0] + "-" + parts[1]);
  }
  if (regions.size() != 1) return Fail("multiple or no regions gotten from zones");
  return *regions.begin();
}

Result<std::string> GceHandle(const std::string& disk, const api::StringMap& labels) {
  const std::string project = "projects/UNSPECIFIED/";
  const std::string* label = Find(labels, kOldZone);
  if (label == nullptr || label->empty()) label = Find(labels, kZone);
  const std::vector<std::string> zones = Split(label == nullptr ? "" : *label, "__");
  if (zones.size() > 1) {
    const auto region = GceRegion(zones);
    if (!region) return region;
    return project + "regions/" + *region + "/disks/" + disk;
  }
  return project + "zones/" + (zones[0].empty() ? "UNSPECIFIED" : zones[0]) + "/disks/" + disk;
}

Result<std::string> AzureDiskHandle(const api::AzureDiskSource& disk) {
  std::string kind = disk.kind;
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
  if (kind != "managed") return Fail("only managed disks can be migrated");
  return disk.disk_uri;
}

template <typename Source>
Result<std::string> HandleOf(const Source& source, const api::StringMap& labels) {
  if (const auto* aws = std::get_if<api::AwsElasticBlockStoreSource>(&source)) {
    return AwsHandle(aws->volume_id);
  }
  if (const auto* gce = std::get_if<api::GcePersistentDiskSource>(&source)) {
    return GceHandle(gce->pd_name, labels);
  }
  if (const auto* azure = std::get_if<api::AzureDiskSource>(&source))
    return AzureDiskHandle(*azure);
  if (const auto* cinder = std::get_if<api::CinderSource>(&source)) return cinder->volume_id;
  if (const auto* portworx = std::get_if<api::PortworxSource>(&source)) return portworx->volume_id;
  if (const auto* vsphere = std::get_if<api::VsphereSource>(&source)) return vsphere->volume_path;
  if (const auto* file = std::get_if<api::AzureFileSource>(&source)) return file->share_name;
  return Fail("not an in-tree volume");
}

bool Uses(const std::optional<api::NodeSelector>& selector, std::string_view key) {
  if (!selector) return false;
  for (const api::NodeSelectorTerm& term : selector->terms) {
    for (const auto& expression : term.match_expressions) {
      if (expression.key == key) return true;
    }
  }
  return false;
}

void Rename(api::NodeSelector& selector, std::string_view from, std::string_view to) {
  for (api::NodeSelectorTerm& term : selector.terms) {
    for (auto& expression : term.match_expressions) {
      if (expression.key == from) expression.key = to;
    }
  }
}

// Adds "key In values" to every term.
Status Require(std::optional<api::NodeSelector>& selector, std::string_view key,
               const std::vector<std::string>& values) {
  std::set<std::string> unique(values.begin(), values.end());
  unique.erase("");
  if (unique.empty()) return Fail("there are no valid zones to add to pv");
  if (!selector) selector.emplace();
  if (selector->terms.empty()) selector->terms.emplace_back();
  for (api::NodeSelectorTerm& term : selector->terms) {
    term.match_expressions.push_back({std::string(key), "In", {unique.begin(), unique.end()}});
  }
  return {};
}

}  // namespace

std::string InTreePlugin(const api::PersistentVolumeSource& source) { return PluginOf(source); }
std::string InTreePlugin(const api::VolumeSource& source) { return PluginOf(source); }

std::string MigratedDriver(std::string_view in_tree_plugin) {
  const Migration* migration = FindMigration(in_tree_plugin);
  return migration == nullptr ? "" : std::string(migration->driver);
}

bool CountsAsMigrated(std::string_view in_tree_plugin) {
  const Migration* migration = FindMigration(in_tree_plugin);
  return migration != nullptr && migration->counts;
}

Result<std::string> MigratedHandle(const api::PersistentVolume& volume) {
  return HandleOf(volume.source, volume.metadata.labels);
}
Result<std::string> MigratedHandle(const api::VolumeSource& inline_source) {
  return HandleOf(inline_source, {});
}

Result<std::optional<api::NodeSelector>> MigratedNodeAffinity(const api::PersistentVolume& volume) {
  std::optional<api::NodeSelector> affinity = volume.node_affinity;
  const Migration* migration = FindMigration(InTreePlugin(volume.source));
  if (migration == nullptr) return affinity;
  if (const auto handle = MigratedHandle(volume); !handle) return std::unexpected(handle.error());
  if (migration->topology_key.empty()) return affinity;

  // The affinity decides which zone label is used, then the volume's own labels.
  const api::StringMap& labels = volume.metadata.labels;
  bool old_labels = false;
  if (!Uses(affinity, kZone)) {
    old_labels = Uses(affinity, kOldZone) || (!labels.contains(kZone) && labels.contains(kOldZone));
  }
  const std::string_view zone = old_labels ? kOldZone : kZone;
  if (Uses(affinity, zone)) {
    Rename(*affinity, zone, migration->topology_key);
  } else if (const std::string* zones = Find(labels, zone)) {
    const auto added = Require(affinity, migration->topology_key, Split(*zones, "__"));
    if (!added) return std::unexpected(added.error());
  }
  if (old_labels && affinity) Rename(*affinity, kOldRegion, kRegion);
  return affinity;
}

}  // namespace berth::scheduler::reference
