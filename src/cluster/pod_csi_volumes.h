// Which CSI volumes a pod brings to its node, as they count against the limits of CSINodes.
#pragma once

#include <expected>
#include <set>
#include <string>

#include "api/pod.h"
#include "cluster/objects.h"
#include "cluster/storage_catalog.h"

namespace berth {

class PodCsiVolumes {
 public:
  // Both must outlive this.
  PodCsiVolumes(const Objects<api::PersistentVolumeClaim>& claims, const StorageCatalog& catalog)
      : claims_(claims), catalog_(catalog) {}

  struct Failure {
    bool claim_missing = false;  // A claim is not there; else something is wrong.
    std::string message;
  };
  using Volumes = std::set<CsiVolume>;

  // The volumes of a pod that is yet to be placed. `migrated`: in-tree volumes are served by CSI
  // drivers, as on every node that has a CSINode.
  std::expected<Volumes, Failure> OfNewPod(const api::Pod& pod, bool migrated) const {
    return Of(pod, migrated, /*ignore_missing=*/false);
  }
  // The volumes of a pod on a node with a CSINode; claims that are not there do not count.
  std::expected<Volumes, Failure> OfPlacedPod(const api::Pod& pod) const {
    return Of(pod, /*migrated=*/true, /*ignore_missing=*/true);
  }

 private:
  std::expected<Volumes, Failure> Of(const api::Pod& pod, bool migrated, bool ignore_missing) const;
  std::optional<CsiVolume> OfClaim(const api::PersistentVolumeClaim& claim, bool migrated) const;
  std::optional<CsiVolume> OfUnboundClaim(const api::PersistentVolumeClaim& claim,
                                          bool migrated) const;

  const Objects<api::PersistentVolumeClaim>& claims_;
  const StorageCatalog& catalog_;
};

}  // namespace berth
