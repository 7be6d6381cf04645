// The JSON names of the fields of storage objects; see fields.h.
#pragma once

#include "api/json/fields.h"
#include "api/json/fields_pod.h"
#include "api/storage.h"

namespace berth::api {

void Fields(auto& v, Like<ObjectReference> auto& t) {
  v("apiVersion", t.api_version);
  v("kind", t.kind);
  v("namespace", t.namespace_);
  v("name", t.name);
  v("uid", t.uid);
  v("resourceVersion", t.resource_version);
}

void Fields(auto& v, Like<CsiPersistentVolumeSource> auto& t) {
  v.Required("driver", t.driver);
  v.Required("volumeHandle", t.volume_handle);
}

void Fields(auto& v, Like<PersistentVolume> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec("capacity", t.capacity);
    spec.Alternative("csi", t.source, As<CsiPersistentVolumeSource>());
    spec.Alternative("gcePersistentDisk", t.source, As<GcePersistentDiskSource>());
    spec.Alternative("awsElasticBlockStore", t.source, As<AwsElasticBlockStoreSource>());
    spec.Alternative("azureDisk", t.source, As<AzureDiskSource>());
    spec.Alternative("azureFile", t.source, As<AzureFileSource>());
    spec.Alternative("cinder", t.source, As<CinderSource>());
    spec.Alternative("vsphereVolume", t.source, As<VsphereSource>());
    spec.Alternative("portworxVolume", t.source, As<PortworxSource>());
    spec("accessModes", t.access_modes);
    spec("claimRef", t.claim_ref);
    spec("storageClassName", t.storage_class_name);
    spec("volumeMode", t.volume_mode);
    spec("volumeAttributesClassName", t.volume_attributes_class_name);
    spec.Group("nodeAffinity", [&](auto& affinity) { affinity("required", t.node_affinity); });
  });
  v.Group("status", [&](auto& status) { status("phase", t.phase); });
}

void Fields(auto& v, Like<PersistentVolumeClaim> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec("accessModes", t.access_modes);
    spec("selector", t.selector);
    spec.Group("resources", [&](auto& resources) { resources("requests", t.requests); });
    spec("volumeName", t.volume_name);
    spec("storageClassName", t.storage_class_name);
    spec("volumeMode", t.volume_mode);
    spec("volumeAttributesClassName", t.volume_attributes_class_name);
  });
  v.Group("status", [&](auto& status) { status("phase", t.phase); });
}

void Fields(auto& v, Like<TopologySelectorRequirement> auto& t) {
  v.Required("key", t.key);
  v.Required("values", t.values);
}

void Fields(auto& v, Like<TopologySelectorTerm> auto& t) {
  v("matchLabelExpressions", t.match_label_expressions);
}

void Fields(auto& v, Like<StorageClass> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("provisioner", t.provisioner);
  v("volumeBindingMode", t.volume_binding_mode);
  v("allowedTopologies", t.allowed_topologies);
}

void Fields(auto& v, Like<CsiNodeDriver> auto& t) {
  v.Required("name", t.name);
  v.Required("nodeID", t.node_id);
  v("topologyKeys", t.topology_keys);
  v.Group("allocatable", [&](auto& allocatable) { allocatable("count", t.allocatable_count); });
}

void Fields(auto& v, Like<CsiNode> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec.Required("drivers", t.drivers); });
}

void Fields(auto& v, Like<CsiDriver> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec("storageCapacity", t.storage_capacity);
    spec("preventPodSchedulingIfMissing", t.prevent_pod_scheduling_if_missing);
  });
}

void Fields(auto& v, Like<CsiStorageCapacity> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("storageClassName", t.storage_class_name);
  v("nodeTopology", t.node_topology);
  v("capacity", t.capacity);
  v("maximumVolumeSize", t.maximum_volume_size);
}

void Fields(auto& v, Like<VolumeAttachment> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec.Required("attacher", t.attacher);
    spec.Required("nodeName", t.node_name);
    spec.Group("source",
               [&](auto& source) { source("persistentVolumeName", t.persistent_volume_name); });
  });
}

}  // namespace berth::api
