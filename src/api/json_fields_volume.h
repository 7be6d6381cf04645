// The wire names of a pod's volumes; see json_fields.h.
#pragma once

#include "api/json_fields.h"
#include "api/volume.h"

namespace berth::api {

void Fields(auto& v, Like<PersistentVolumeClaimSource> auto& t) {
  v.Required("claimName", t.claim_name);
  v("readOnly", t.read_only);
}

void Fields(auto&, Like<EphemeralSource> auto&) {}

void Fields(auto& v, Like<CsiInlineSource> auto& t) { v.Required("driver", t.driver); }

void Fields(auto& v, Like<ImageSource> auto& t) { v("reference", t.reference); }

void Fields(auto& v, Like<GcePersistentDiskSource> auto& t) {
  v.Required("pdName", t.pd_name);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<AwsElasticBlockStoreSource> auto& t) {
  v.Required("volumeID", t.volume_id);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<RbdSource> auto& t) {
  v.Required("monitors", t.monitors);
  v("pool", t.pool);
  v.Required("image", t.image);
  v("readOnly", t.read_only);
}

// The API server's default.
inline void ApplyDefaults(RbdSource& t) {
  if (t.pool.empty()) t.pool = "rbd";
}

void Fields(auto& v, Like<IscsiSource> auto& t) {
  v.Required("targetPortal", t.target_portal);
  v.Required("iqn", t.iqn);
  v.Required("lun", t.lun);
  v("readOnly", t.read_only);
}

void Fields(auto& v, Like<AzureDiskSource> auto& t) {
  v.Required("diskName", t.disk_name);
  v.Required("diskURI", t.disk_uri);
  v("kind", t.kind);
}

void Fields(auto& v, Like<AzureFileSource> auto& t) {
  v.Required("secretName", t.secret_name);
  v("secretNamespace", t.secret_namespace);
  v.Required("shareName", t.share_name);
}

void Fields(auto& v, Like<CinderSource> auto& t) { v.Required("volumeID", t.volume_id); }

void Fields(auto& v, Like<VsphereSource> auto& t) { v.Required("volumePath", t.volume_path); }

void Fields(auto& v, Like<PortworxSource> auto& t) { v.Required("volumeID", t.volume_id); }

void Fields(auto& v, Like<Volume> auto& t) {
  v.Required("name", t.name);
  v.Alternative("persistentVolumeClaim", t.source, As<PersistentVolumeClaimSource>());
  v.Alternative("ephemeral", t.source, As<EphemeralSource>());
  v.Alternative("csi", t.source, As<CsiInlineSource>());
  v.Alternative("image", t.source, As<ImageSource>());
  v.Alternative("gcePersistentDisk", t.source, As<GcePersistentDiskSource>());
  v.Alternative("awsElasticBlockStore", t.source, As<AwsElasticBlockStoreSource>());
  v.Alternative("rbd", t.source, As<RbdSource>());
  v.Alternative("iscsi", t.source, As<IscsiSource>());
  v.Alternative("azureDisk", t.source, As<AzureDiskSource>());
  v.Alternative("azureFile", t.source, As<AzureFileSource>());
  v.Alternative("cinder", t.source, As<CinderSource>());
  v.Alternative("vsphereVolume", t.source, As<VsphereSource>());
  v.Alternative("portworxVolume", t.source, As<PortworxSource>());
}

}  // namespace berth::api
