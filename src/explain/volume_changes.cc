#include "explain/volume_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "api/json/encode.h"
#include "api/json/writer.h"
#include "api/object.h"
#include "api/selector.h"
#include "base/suggestion.h"
#include "explain/pod_changes.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;
using Claim = api::PersistentVolumeClaim;
using Volume = api::PersistentVolume;

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr const char* kDefaultClass = "storageclass.kubernetes.io/is-default-class";
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
  // The controller binds the claim by its name, and then knows its uid.
  if (created.claim_ref) created.claim_ref->uid.clear();
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
  if (create_claim) {
    Claim created = claim;
    created.metadata.uid.clear();
    created.storage_class_name = "";  // None is provisioned beside it.
    change.created.push_back(api::EncodeJson(created));
  }
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

// --- claims for which a class provisions ---

bool IsDefault(const api::StorageClass& storage_class) {
  const auto found = storage_class.metadata.annotations.find(kDefaultClass);
  return found != storage_class.metadata.annotations.end() && found->second == "true";
}

// Returns the class to provision with: the one whose name is like `name`, the default one, or the
// first; null if none provisions.
const api::StorageClass* ClassLike(const Cluster& cluster, const std::string& name) {
  Suggestion suggestion(name);
  const api::StorageClass* best = nullptr;
  for (const auto& [key, storage_class] : cluster.objects<api::StorageClass>().all()) {
    const std::string& provisioner = storage_class->provisioner;
    if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner") continue;
    suggestion.Consider(key.name);
    if (best == nullptr || (IsDefault(*storage_class) && !IsDefault(*best))) {
      best = storage_class.get();
    }
  }
  if (suggestion.best().empty()) return best;
  return cluster.objects<api::StorageClass>().Find({"", suggestion.best()});
}

// Puts the claim into the model as it is once its class acts: bound, unless it waits for a pod.
void Provision(const Cluster& cluster, Claim claim, const api::StorageClass& storage_class,
               Change& change) {
  claim.storage_class_name = storage_class.metadata.name;
  if (storage_class.volume_binding_mode != "WaitForFirstConsumer") {
    const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
    Volume volume = VolumeFor(claim, NewVolumeName(cluster, key));
    BindTo(volume, claim);
    claim.volume_name = volume.metadata.name;
    claim.phase = "Bound";
    claim.metadata.annotations.insert_or_assign(kBindCompleted, "yes");
    change.edits.push_back({std::make_shared<const Volume>(std::move(volume))});
  }
  change.edits.push_back({std::make_shared<const Claim>(std::move(claim))});
}

ObjectName NameOfClaim(const api::ObjectKey& key) { return {"v1", "PersistentVolumeClaim", key}; }

// The claim does not exist: it is another, is created, or is created with a volume.
void AddMissingClaim(const Cluster& cluster, const api::Pod& pod, size_t volume,
                     const api::ObjectKey& key, std::vector<Change>& changes) {
  Suggestion suggestion(key.name);
  for (const auto& [known, claim] : cluster.objects<Claim>().all()) {
    if (known.namespace_ == key.namespace_) suggestion.Consider(known.name);
  }
  if (const std::string& name = suggestion.best(); !name.empty()) {
    Change change = MakeChange(ChangeKind::kCorrect, NameOfPod(pod), "claim " + key.name,
                               fmt::format("use the claim {} instead of {}", name, key.name));
    change.edit_pod = [volume, name](api::Pod& edited) {
      auto& source = edited.spec.volumes[volume].source;
      std::get<api::PersistentVolumeClaimSource>(source).claim_name = name;
    };
    const std::string number = std::to_string(volume);
    change.patch = {
        {"test", PatchPath({"spec", "volumes", number, "name"}),
         api::JsonQuoted(pod.spec.volumes[volume].name)},
        {"replace", PatchPath({"spec", "volumes", number, "persistentVolumeClaim", "claimName"}),
         api::JsonQuoted(name)}};
    changes.push_back(std::move(change));
  }
  const api::StorageClass* storage_class = ClassLike(cluster, "");
  if (storage_class == nullptr) {
    changes.push_back(ProvideBoundVolume(NewClaim(key), NewVolumeName(cluster, key), true));
    return;
  }
  Claim claim = NewClaim(key);
  claim.storage_class_name = storage_class->metadata.name;
  Change change = MakeChange(ChangeKind::kCreateClaim, NameOfClaim(key), "claim " + key.name,
                             fmt::format("create the claim {} with StorageClass {}", key.ToString(),
                                         storage_class->metadata.name));
  Provision(cluster, claim, *storage_class, change);
  claim.metadata.uid.clear();
  change.created = {api::EncodeJson(claim)};
  change.remark = "set the size and the access modes that the pod needs";
  changes.push_back(std::move(change));
}

// The class of the claim does not exist, or it has none: the claim gets another, or the class is
// created.
void AddMissingClass(const Cluster& cluster, const Claim& claim, std::vector<Change>& changes) {
  const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
  const std::string wanted = claim.storage_class_name.value_or("");
  const api::StorageClass* storage_class = ClassLike(cluster, wanted);
  if (storage_class == nullptr) return;
  const std::string& name = storage_class->metadata.name;
  Change other = MakeChange(
      ChangeKind::kCorrect, NameOfClaim(key), "class of " + key.name,
      fmt::format("create the claim {} again with StorageClass {}", key.ToString(), name));
  Provision(cluster, claim, *storage_class, other);
  other.patch = {{"add", "/spec/storageClassName", api::JsonQuoted(name)}};
  other.in_place = false;
  changes.push_back(std::move(other));
  if (wanted.empty()) {
    Change change =
        MakeChange(ChangeKind::kCreateClass, {"storage.k8s.io/v1", "StorageClass", {"", name}},
                   "default class", fmt::format("make StorageClass {} the default", name));
    Provision(cluster, claim, *storage_class, change);
    const bool first = storage_class->metadata.annotations.empty();
    if (first) change.patch.push_back({"add", "/metadata/annotations", "{}"});
    change.patch.push_back(
        {"add", PatchPath({"metadata", "annotations", kDefaultClass}), "\"true\""});
    changes.push_back(std::move(change));
    return;
  }
  auto created = std::make_shared<api::StorageClass>(*storage_class);
  created->metadata = {};
  created->metadata.name = wanted;
  Change change =
      MakeChange(ChangeKind::kCreateClass, {"storage.k8s.io/v1", "StorageClass", {"", wanted}},
                 "class " + wanted,
                 fmt::format("create StorageClass {}, with the provisioner of {}", wanted, name));
  change.created = {api::EncodeJson(*created)};
  change.edits.push_back({api::Ref<api::StorageClass>(created)});
  Provision(cluster, claim, *created, change);
  change.remark = "the parameters are up to you";
  changes.push_back(std::move(change));
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
  const bool no_class = storage_class == nullptr && !(claim.storage_class_name == "");
  if (no_class) AddMissingClass(cluster, claim, changes);
  const bool provisions = storage_class != nullptr && !storage_class->provisioner.empty() &&
                          storage_class->provisioner != "kubernetes.io/no-provisioner";
  if (!waits && !provisions && (!no_class || changes.empty())) {
    changes.push_back(ProvideBoundVolume(claim, NewVolumeName(cluster, key), false));
  } else if (waits && node != nullptr) {
    AddLocalVolume(cluster, claim, *node, changes);
    AddTopology(*storage_class, changes);
  }
}

}  // namespace

std::vector<Change> VolumeChanges(const Cluster& cluster, const api::Pod& pod,
                                  const api::Node* node) {
  std::vector<Change> changes;
  for (size_t i = 0; i < pod.spec.volumes.size(); ++i) {
    const api::Volume& volume = pod.spec.volumes[i];
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
      AddMissingClaim(cluster, pod, i, key, changes);
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
