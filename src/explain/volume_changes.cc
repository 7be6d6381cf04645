#include "explain/volume_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "api/json/encode.h"
#include "api/object.h"
#include "api/selector.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;
using Claim = api::PersistentVolumeClaim;
using Volume = api::PersistentVolume;

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kHostnameLabel = "kubernetes.io/hostname";

std::string NewVolumeName(const Cluster& cluster, const api::ObjectKey& claim) {
  for (size_t number = 1;; ++number) {
    std::string name = fmt::format("{}-{}-{}", claim.namespace_, claim.name, number);
    if (cluster.objects<Volume>().Find({"", name}) == nullptr) return name;
  }
}

// A volume that the claim can be bound to.
Volume VolumeFor(const Claim& claim, std::string name) {
  Volume volume;
  volume.metadata.name = std::move(name);
  volume.metadata.uid = volume.metadata.name;
  if (claim.selector) volume.metadata.labels = claim.selector->match_labels;
  volume.capacity = claim.requests;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = claim.storage_class_name.value_or("");
  volume.volume_mode = claim.volume_mode;
  volume.volume_attributes_class_name = claim.volume_attributes_class_name;
  volume.phase = "Available";
  return volume;
}

void BindTo(Volume& volume, const Claim& claim) {
  volume.claim_ref = api::ObjectReference{.api_version = "v1",
                                          .kind = "PersistentVolumeClaim",
                                          .namespace_ = claim.metadata.namespace_,
                                          .name = claim.metadata.name,
                                          .uid = claim.metadata.uid,
                                          .resource_version = {}};
  volume.phase = "Bound";
}

Change ProvideVolume(const Volume& volume, const api::ObjectKey& claim, std::string text) {
  Change change =
      MakeChange(ChangeKind::kProvideVolume, {"v1", "PersistentVolume", {"", volume.metadata.name}},
                 "volume of " + claim.ToString(), std::move(text));
  Volume created = volume;
  created.phase.clear();
  created.metadata.uid.clear();
  change.created = {api::EncodeJson(created)};
  change.edits.push_back({std::make_shared<const Volume>(volume)});
  change.remark = "add the source of the volume: csi, local, nfs or another";
  return change;
}

// Creates a volume and binds the claim to it, as its controller would.
Change ProvideBoundVolume(const Claim& claim, std::string name, bool create_claim) {
  const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
  Volume volume = VolumeFor(claim, std::move(name));
  BindTo(volume, claim);
  Change change = ProvideVolume(
      volume, key,
      create_claim
          ? fmt::format("create the claim {} and a PersistentVolume for it", key.ToString())
          : fmt::format("create a PersistentVolume for the claim {}", key.ToString()));
  if (create_claim) change.created.push_back(api::EncodeJson(claim));
  Claim bound = claim;
  bound.volume_name = volume.metadata.name;
  bound.phase = "Bound";
  bound.metadata.annotations.insert_or_assign(kBindCompleted, "yes");
  change.edits.push_back({std::make_shared<const Claim>(std::move(bound))});
  return change;
}

Claim NewClaim(const api::ObjectKey& key) {
  Claim claim;
  claim.metadata.namespace_ = key.namespace_;
  claim.metadata.name = key.name;
  claim.metadata.uid = key.ToString();
  claim.access_modes = {"ReadWriteOnce"};
  claim.requests["storage"] = api::Quantity::FromValue(1 << 30, api::Quantity::Format::kBinarySI);
  return claim;
}

// A volume on the node for a claim that waits for its first consumer.
void AddLocalVolume(const Cluster& cluster, const Claim& claim, const api::Node& node,
                    std::vector<Change>& changes) {
  const auto hostname = node.metadata.labels.find(kHostnameLabel);
  const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
  Volume volume = VolumeFor(claim, NewVolumeName(cluster, key));
  if (hostname != node.metadata.labels.end()) {
    volume.node_affinity.emplace().terms = {{{{kHostnameLabel, "In", {hostname->second}}}, {}}};
  }
  changes.push_back(
      ProvideVolume(volume, key,
                    fmt::format("create a PersistentVolume for the claim {} that node {} can reach",
                                key.ToString(), node.metadata.name)));
}

void AddTopology(const api::StorageClass& storage_class, std::vector<Change>& changes) {
  if (storage_class.allowed_topologies.empty()) return;
  const std::string& name = storage_class.metadata.name;
  Change change = MakeChange(
      ChangeKind::kAllowTopology, {"storage.k8s.io/v1", "StorageClass", {"", name}},
      "topologies of " + name, fmt::format("drop the allowedTopologies of StorageClass {}", name));
  change.edits.push_back({std::make_shared<const api::StorageClass>(storage_class),
                          [](const api::Object& before) -> api::Object {
                            auto after = std::make_shared<api::StorageClass>(
                                *std::get<api::Ref<api::StorageClass>>(before));
                            after->allowed_topologies.clear();
                            return api::Ref<api::StorageClass>(std::move(after));
                          }});
  change.patch = {{"remove", "/allowedTopologies"}};
  change.remark = "the field cannot be changed in place: create the StorageClass again";
  changes.push_back(std::move(change));
}

void AddClaimChanges(const Cluster& cluster, const Claim& claim, const api::Node* node,
                     std::vector<Change>& changes) {
  const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
  if (claim.metadata.deletion_timestamp) return;
  if (!claim.volume_name.empty()) {
    if (cluster.objects<Volume>().Find({"", claim.volume_name}) == nullptr) {
      changes.push_back(ProvideBoundVolume(claim, claim.volume_name, false));
    }
    return;
  }
  const api::StorageClass* storage_class =
      cluster.objects<api::StorageClass>().Find({"", claim.storage_class_name.value_or("")});
  const bool waits =
      storage_class != nullptr && storage_class->volume_binding_mode == "WaitForFirstConsumer";
  if (!waits) {
    changes.push_back(ProvideBoundVolume(claim, NewVolumeName(cluster, key), false));
  } else if (node != nullptr) {
    AddLocalVolume(cluster, claim, *node, changes);
    AddTopology(*storage_class, changes);
  }
}

}  // namespace

std::vector<Change> VolumeChanges(const Cluster& cluster, const api::Pod& pod,
                                  const api::Node* node) {
  std::vector<Change> changes;
  for (const api::Volume& volume : pod.spec.volumes) {
    api::ObjectKey key{pod.metadata.namespace_, ""};
    if (const auto* source = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
      key.name = source->claim_name;
    } else if (std::holds_alternative<api::EphemeralSource>(volume.source)) {
      key.name = fmt::format("{}-{}", pod.metadata.name, volume.name);
    } else {
      continue;
    }
    if (const Claim* claim = cluster.objects<Claim>().Find(key)) {
      AddClaimChanges(cluster, *claim, node, changes);
    } else if (std::holds_alternative<api::PersistentVolumeClaimSource>(volume.source)) {
      // The claim of an ephemeral volume is created by its controller.
      changes.push_back(ProvideBoundVolume(NewClaim(key), NewVolumeName(cluster, key), true));
    }
  }
  return changes;
}

std::vector<Change> DeviceChanges(const Obstacle& obstacle) {
  std::vector<Change> changes;
  std::set<std::string> drivers;
  const std::string& node = obstacle.node.metadata.name;
  for (const auto& [key, slice] : obstacle.cluster.objects<api::ResourceSlice>().all()) {
    if (slice->devices.empty() || slice->pool.resource_slice_count > 1) continue;
    if (!drivers.insert(slice->driver).second) continue;
    auto copy = std::make_shared<api::ResourceSlice>(*slice);
    copy->metadata.name = fmt::format("{}-for-{}", slice->metadata.name, node);
    copy->metadata.uid = copy->metadata.name;
    copy->pool.name = fmt::format("{}-for-{}", slice->pool.name, node);
    copy->node_selector.reset();
    copy->all_nodes.reset();
    copy->per_device_node_selection.reset();
    copy->node_name = node;
    for (api::Device& device : copy->devices) {
      device.node_name.reset();
      device.node_selector.reset();
      device.all_nodes.reset();
    }
    Change change = MakeChange(
        ChangeKind::kAddDevices, {"resource.k8s.io/v1", "ResourceSlice", {"", copy->metadata.name}},
        fmt::format("node {} devices {}", node, slice->driver),
        fmt::format("add {} device{} of driver {} to node {}, like those of ResourceSlice {}",
                    slice->devices.size(), slice->devices.size() == 1 ? "" : "s", slice->driver,
                    node, slice->metadata.name));
    change.amount = static_cast<double>(slice->devices.size());
    change.edits.push_back({api::Ref<api::ResourceSlice>(std::move(copy))});
    change.remark = "the driver on the node publishes the slice";
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace berth::explain
