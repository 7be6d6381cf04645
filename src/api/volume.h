// The volumes of a pod, with the sources that scheduling rules distinguish.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace berth::api {

struct PersistentVolumeClaimSource {
  std::string claim_name;
  bool read_only = false;
  friend bool operator==(const PersistentVolumeClaimSource&,
                         const PersistentVolumeClaimSource&) = default;
};

// A generic ephemeral volume; its claim is named "<pod>-<volume>".
struct EphemeralSource {
  friend bool operator==(const EphemeralSource&, const EphemeralSource&) = default;
};

// An inline CSI volume of a pod.
struct CsiInlineSource {
  std::string driver;
  friend bool operator==(const CsiInlineSource&, const CsiInlineSource&) = default;
};

// An OCI image mounted as a volume.
struct ImageSource {
  std::string reference;
  friend bool operator==(const ImageSource&, const ImageSource&) = default;
};

struct GcePersistentDiskSource {
  std::string pd_name;
  bool read_only = false;
  friend bool operator==(const GcePersistentDiskSource&, const GcePersistentDiskSource&) = default;
};

struct AwsElasticBlockStoreSource {
  std::string volume_id;
  bool read_only = false;
  friend bool operator==(const AwsElasticBlockStoreSource&,
                         const AwsElasticBlockStoreSource&) = default;
};

struct RbdSource {
  std::vector<std::string> monitors;
  std::string pool;  // "rbd" when absent.
  std::string image;
  bool read_only = false;
  friend bool operator==(const RbdSource&, const RbdSource&) = default;
};

struct IscsiSource {
  std::string target_portal;
  std::string iqn;
  int32_t lun = 0;
  bool read_only = false;
  friend bool operator==(const IscsiSource&, const IscsiSource&) = default;
};

struct AzureDiskSource {
  std::string disk_name;
  std::string disk_uri;
  std::string kind;
  friend bool operator==(const AzureDiskSource&, const AzureDiskSource&) = default;
};

struct AzureFileSource {
  std::string secret_name;
  std::string secret_namespace;
  std::string share_name;
  friend bool operator==(const AzureFileSource&, const AzureFileSource&) = default;
};

struct CinderSource {
  std::string volume_id;
  friend bool operator==(const CinderSource&, const CinderSource&) = default;
};

struct VsphereSource {
  std::string volume_path;
  friend bool operator==(const VsphereSource&, const VsphereSource&) = default;
};

struct PortworxSource {
  std::string volume_id;
  friend bool operator==(const PortworxSource&, const PortworxSource&) = default;
};

// Any source that no scheduling rule reads: configMap, secret, emptyDir and so on.
struct OtherSource {
  friend bool operator==(const OtherSource&, const OtherSource&) = default;
};

using VolumeSource =
    std::variant<OtherSource, PersistentVolumeClaimSource, EphemeralSource, CsiInlineSource,
                 ImageSource, GcePersistentDiskSource, AwsElasticBlockStoreSource, RbdSource,
                 IscsiSource, AzureDiskSource, AzureFileSource, CinderSource, VsphereSource,
                 PortworxSource>;

struct Volume {
  std::string name;
  VolumeSource source;
  friend bool operator==(const Volume&, const Volume&) = default;
};

}  // namespace berth::api
