#include "scheduler/model/volume_claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

#include "base/check.h"

namespace berth::scheduler::model {
namespace {

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

constexpr InTreePlugin kAwsEbs{"kubernetes.io/aws-ebs", "ebs.csi.aws.com",
                               "topology.ebs.csi.aws.com/zone", true};
constexpr InTreePlugin kGcePd{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
                              "topology.gke.io/zone", true};
constexpr InTreePlugin kAzureDisk{"kubernetes.io/azure-disk", "disk.csi.azure.com", "", true};
constexpr InTreePlugin kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org",
                               "topology.cinder.csi.openstack.org/zone", true};
constexpr InTreePlugin kPortworx{"kubernetes.io/portworx-volume", "pxd.portworx.com", "", true};
constexpr InTreePlugin kAzureFile{"kubernetes.io/azure-file", "file.csi.azure.com", "", false};
constexpr InTreePlugin kVsphere{"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "",
                                false};

constexpr std::array kPlugins = {&kAwsEbs,   &kGcePd,     &kAzureDisk, &kCinder,
                                 &kPortworx, &kAzureFile, &kVsphere};

struct PluginOf {
  const InTreePlugin* operator()(const api::AwsElasticBlockStoreSource&) const { return &kAwsEbs; }
  const InTreePlugin* operator()(const api::GcePersistentDiskSource&) const { return &kGcePd; }
  const InTreePlugin* operator()(const api::AzureDiskSource&) const { return &kAzureDisk; }
  const InTreePlugin* operator()(const api::CinderSource&) const { return &kCinder; }
  const InTreePlugin* operator()(const api::PortworxSource&) const { return &kPortworx; }
  const InTreePlugin* operator()(const api::AzureFileSource&) const { return &kAzureFile; }
  const InTreePlugin* operator()(const api::VsphereSource&) const { return &kVsphere; }
  const InTreePlugin* operator()(const auto&) const { return nullptr; }
};

// Splits a zone label: several zones are joined with "__".
std::vector<std::string> SplitZones(std::string_view zones) {
  std::vector<std::string> split;
  for (size_t start = 0;;) {
    const size_t end = zones.find("__", start);
    split.emplace_back(zones.substr(start, end - start));
    if (end == std::string_view::npos) return split;
    start = end + 2;
  }
}

// "vol-1" from "aws://zone/vol-1"; anything else stands for itself.
Result<std::string> EbsVolumeId(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return id;
  std::string_view path = std::string_view(id).substr(kScheme.size());
  path = path.substr(0, path.find_first_of("?#"));
  path.remove_prefix(std::min(path.find('/'), path.size()));
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with("vol-") || path.find('/') != std::string_view::npos) {
    return Fail(fmt::format(
        "failed to translate Kubernetes ID to EBS Volume ID invalid format for AWS volume ({})",
        id));
  }
  return std::string(path);
}

// "us-east1" from "us-east1-b" and "us-east1-c".
Result<std::string> GceRegion(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    if (std::ranges::count(zone, '-') != 2) {
      return Fail(
          "failed to get region from zones: zone in unexpected format, expected: "
          "{locale}-{region}-{zone}, got: " +
          zone);
    }
    regions.insert(zone.substr(0, zone.rfind('-')));
  }
  if (regions.size() == 1) return *regions.begin();
  std::vector<std::string> listed;
  for (const std::string& region : regions) listed.push_back(region + ":{}");
  return Fail(fmt::format(
      "failed to get region from zones: multiple or no regions gotten from zones, got: map[{}]",
      fmt::join(listed, " ")));
}

Result<std::string> GceHandle(const std::string& disk, std::string_view zone_label) {
  constexpr std::string_view kZonal = "projects/UNSPECIFIED/zones/{}/disks/{}";
  if (zone_label.empty()) return fmt::format(kZonal, "UNSPECIFIED", disk);
  const std::vector<std::string> zones = SplitZones(zone_label);
  if (zones.size() == 1) return fmt::format(kZonal, zones[0], disk);
  auto region = GceRegion(zones);
  if (!region) return region;
  return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", *region, disk);
}

bool IsManaged(std::string_view kind) {
  constexpr std::string_view kManaged = "managed";
  return std::ranges::equal(kind, kManaged, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  });
}

// `zone_label` is the zone label of the PersistentVolume; inline volumes have none.
struct HandleOf {
  std::string_view zone_label;

  Result<std::string> operator()(const api::AwsElasticBlockStoreSource& source) const {
    return EbsVolumeId(source.volume_id);
  }
  Result<std::string> operator()(const api::GcePersistentDiskSource& source) const {
    return GceHandle(source.pd_name, zone_label);
  }
  Result<std::string> operator()(const api::AzureDiskSource& source) const {
    if (!source.kind.empty() && !IsManaged(source.kind)) {
      return Fail(fmt::format("kind({}) is not supported in csi migration", source.kind));
    }
    return source.disk_uri;
  }
  Result<std::string> operator()(const api::CinderSource& source) const { return source.volume_id; }
  Result<std::string> operator()(const api::PortworxSource& source) const {
    return source.volume_id;
  }
  Result<std::string> operator()(const auto&) const { return ""; }
};

std::string_view FindOr(const api::StringMap& labels, std::string_view key,
                        std::string_view otherwise) {
  const auto found = labels.find(key);
  return found == labels.end() || found->second.empty() ? otherwise : found->second;
}

template <typename Source>
Result<CsiVolume> Translate(const Source& source, std::string_view zone_label) {
  const InTreePlugin* plugin = std::visit(PluginOf{}, source);
  CHECK(plugin != nullptr);
  auto handle = std::visit(HandleOf{zone_label}, source);
  if (!handle) return std::unexpected(handle.error());
  return CsiVolume{std::string(plugin->driver), *std::move(handle)};
}

// --- node affinity ---

bool Mentions(const std::optional<api::NodeSelector>& affinity, std::string_view key) {
  return affinity && std::ranges::any_of(affinity->terms, [&](const api::NodeSelectorTerm& term) {
           return std::ranges::find(term.match_expressions, key,
                                    &api::NodeSelectorRequirement::key) !=
                  term.match_expressions.end();
         });
}

// Renames `from` to `to`, if it has a value somewhere; returns whether it has.
bool Rename(std::optional<api::NodeSelector>& affinity, std::string_view from,
            std::string_view to) {
  if (!affinity) return false;
  std::vector<api::NodeSelectorRequirement*> found;
  bool has_values = false;
  for (api::NodeSelectorTerm& term : affinity->terms) {
    for (api::NodeSelectorRequirement& requirement : term.match_expressions) {
      if (requirement.key != from) continue;
      found.push_back(&requirement);
      has_values |= !requirement.values.empty();
    }
  }
  if (!has_values) return false;
  for (api::NodeSelectorRequirement* requirement : found) requirement->key = to;
  return true;
}

std::string Trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// Adds to every term that the node is in one of the zones.
void RequireZones(std::optional<api::NodeSelector>& affinity, std::string_view key,
                  std::string_view zone_label) {
  std::set<std::string> zones;
  for (const std::string& zone : SplitZones(zone_label)) {
    if (std::string trimmed = Trimmed(zone); !trimmed.empty()) zones.insert(std::move(trimmed));
  }
  if (zones.empty()) return;
  if (!affinity) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (api::NodeSelectorTerm& term : affinity->terms) {
    term.match_expressions.push_back({std::string(key), "In", {zones.begin(), zones.end()}});
  }
}

// Volumes from before the zone labels became stable have their beta names.
bool UsesBetaLabels(const api::PersistentVolume& volume) {
  if (Mentions(volume.node_affinity, kZone)) return false;
  if (Mentions(volume.node_affinity, kBetaZone)) return true;
  return !volume.metadata.labels.contains(kZone) && volume.metadata.labels.contains(kBetaZone);
}

}  // namespace

const InTreePlugin* InTreePluginOf(const api::PersistentVolume& volume) {
  return std::visit(PluginOf{}, volume.source);
}

const InTreePlugin* InTreePluginOf(const api::Volume& volume) {
  return std::visit(PluginOf{}, volume.source);
}

const InTreePlugin* FindInTreePlugin(std::string_view name) {
  const auto found = std::ranges::find(kPlugins, name, &InTreePlugin::name);
  return found == kPlugins.end() ? nullptr : *found;
}

Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume) {
  const api::StringMap& labels = volume.metadata.labels;
  return Translate(volume.source, FindOr(labels, kBetaZone, FindOr(labels, kZone, "")));
}

Result<CsiVolume> TranslateToCsi(const api::Volume& volume) { return Translate(volume.source, ""); }

std::optional<api::NodeSelector> TranslateAffinity(const api::PersistentVolume& volume) {
  const InTreePlugin* plugin = InTreePluginOf(volume);
  CHECK(plugin != nullptr);
  std::optional<api::NodeSelector> affinity = volume.node_affinity;
  if (plugin->zone_label.empty()) return affinity;
  const bool beta = UsesBetaLabels(volume);
  const std::string_view zone = beta ? kBetaZone : kZone;
  if (!Rename(affinity, zone, plugin->zone_label)) {
    const auto label = volume.metadata.labels.find(zone);
    if (label != volume.metadata.labels.end()) {
      RequireZones(affinity, plugin->zone_label, label->second);
    }
  }
  if (beta) Rename(affinity, kBetaRegion, kRegion);
  return affinity;
}

namespace {

constexpr std::string_view kBetaStorageClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";

bool IsControlledBy(const api::ObjectMeta& object, const std::string& uid) {
  const auto controller = std::ranges::find_if(
      object.owner_references,
      [](const api::OwnerReference& owner) { return owner.controller == true; });
  return controller != object.owner_references.end() && controller->uid == uid;
}

}  // namespace

std::optional<ClaimOfVolume> ClaimOf(const std::string& pod, const api::Volume& volume) {
  if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
    return ClaimOfVolume{claim->claim_name, false};
  }
  if (std::holds_alternative<api::EphemeralSource>(volume.source)) {
    return ClaimOfVolume{pod + "-" + volume.name, true};
  }
  return std::nullopt;
}

std::optional<std::string> NotMadeFor(const api::Pod& pod,
                                      const api::PersistentVolumeClaim& claim) {
  if (IsControlledBy(claim.metadata, pod.metadata.uid)) return std::nullopt;
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)",
                     claim.metadata.namespace_, claim.metadata.name, pod.metadata.namespace_,
                     pod.metadata.name);
}

const std::string& StorageClassOf(const api::PersistentVolumeClaim& claim) {
  static const std::string kNone;
  const auto beta = claim.metadata.annotations.find(kBetaStorageClass);
  if (beta != claim.metadata.annotations.end()) return beta->second;
  return claim.storage_class_name ? *claim.storage_class_name : kNone;
}

const std::string& StorageClassOf(const api::PersistentVolume& volume) {
  const auto beta = volume.metadata.annotations.find(kBetaStorageClass);
  return beta != volume.metadata.annotations.end() ? beta->second : volume.storage_class_name;
}

bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.metadata.annotations.contains(kBindCompleted);
}

bool UsesStorage(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::PersistentVolumeClaimSource>(volume.source) ||
           std::holds_alternative<api::EphemeralSource>(volume.source) ||
           InTreePluginOf(volume) != nullptr;
  });
}

std::string NotFound(std::string_view resource, const std::string& name) {
  return fmt::format("{} \"{}\" not found", resource, name);
}

}  // namespace berth::scheduler::model
