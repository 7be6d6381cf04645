// The storage objects: PersistentVolume, PersistentVolumeClaim, StorageClass, CSINode, CSIDriver,
// CSIStorageCapacity and VolumeAttachment.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/meta.h"
#include "api/quantity.h"
#include "api/volume.h"

namespace berth::api {

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  friend bool operator==(const ObjectReference&, const ObjectReference&) = default;
};

struct CsiPersistentVolumeSource {
  std::string driver;
  std::string volume_handle;
  friend bool operator==(const CsiPersistentVolumeSource&,
                         const CsiPersistentVolumeSource&) = default;
};

// The sources that volume limits, CSI migration and volume restrictions distinguish; OtherSource
// for all others.
using PersistentVolumeSource =
    std::variant<OtherSource, CsiPersistentVolumeSource, GcePersistentDiskSource,
                 AwsElasticBlockStoreSource, AzureDiskSource, AzureFileSource, CinderSource,
                 VsphereSource, PortworxSource>;

struct PersistentVolume {
  ObjectMeta metadata;
  ResourceList capacity;
  PersistentVolumeSource source;
  std::vector<std::string> access_modes;
  std::optional<ObjectReference> claim_ref;
  std::string storage_class_name;
  std::optional<std::string> volume_mode;
  std::optional<std::string> volume_attributes_class_name;
  std::optional<NodeSelector> node_affinity;  // spec.nodeAffinity.required
  std::string phase;
  friend bool operator==(const PersistentVolume&, const PersistentVolume&) = default;
};

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  std::vector<std::string> access_modes;
  std::optional<LabelSelector> selector;
  ResourceList requests;
  std::string volume_name;
  std::optional<std::string> storage_class_name;
  std::optional<std::string> volume_mode;
  std::optional<std::string> volume_attributes_class_name;
  std::string phase;
  friend bool operator==(const PersistentVolumeClaim&, const PersistentVolumeClaim&) = default;
};

struct TopologySelectorRequirement {
  std::string key;
  std::vector<std::string> values;
  friend bool operator==(const TopologySelectorRequirement&,
                         const TopologySelectorRequirement&) = default;
};

struct TopologySelectorTerm {
  std::vector<TopologySelectorRequirement> match_label_expressions;
  friend bool operator==(const TopologySelectorTerm&, const TopologySelectorTerm&) = default;
};

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  std::optional<std::string> volume_binding_mode;
  std::vector<TopologySelectorTerm> allowed_topologies;
  friend bool operator==(const StorageClass&, const StorageClass&) = default;
};

struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<int32_t> allocatable_count;
  friend bool operator==(const CsiNodeDriver&, const CsiNodeDriver&) = default;
};

struct CsiNode {
  ObjectMeta metadata;
  std::vector<CsiNodeDriver> drivers;
  friend bool operator==(const CsiNode&, const CsiNode&) = default;
};

struct CsiDriver {
  ObjectMeta metadata;
  std::optional<bool> storage_capacity;
  std::optional<bool> prevent_pod_scheduling_if_missing;
  friend bool operator==(const CsiDriver&, const CsiDriver&) = default;
};

struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::string storage_class_name;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
  friend bool operator==(const CsiStorageCapacity&, const CsiStorageCapacity&) = default;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  std::string attacher;
  std::string node_name;
  std::optional<std::string> persistent_volume_name;
  friend bool operator==(const VolumeAttachment&, const VolumeAttachment&) = default;
};

}  // namespace berth::api
