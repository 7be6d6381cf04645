// CSI volumes counted against the limits of CSINodes: those of one pod (PodCsiVolumes), and those
// attached to each node (AttachedVolumes).
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/pod.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/model/storage_catalog.h"

namespace berth::scheduler::model {

// PodCsiVolumes determines the CSI volumes that a pod brings to its node.
class PodCsiVolumes {
 public:
  // Both must outlive this.
  PodCsiVolumes(const Objects<api::PersistentVolumeClaim>& claims, const StorageCatalog& catalog)
      : claims_(claims), catalog_(catalog) {}

  struct Failure {
    bool claim_missing = false;  // A claim does not exist; otherwise the failure is an error.
    std::string message;
  };
  using Volumes = std::set<CsiVolume>;

  // Returns the volumes of a pod that has no node yet. `migrated`: in-tree volumes are served by
  // CSI drivers, as on every node that has a CSINode.
  std::expected<Volumes, Failure> OfNewPod(const api::Pod& pod, bool migrated) const {
    return Of(pod, migrated, /*ignore_missing=*/false);
  }
  // Returns the volumes of a pod on a node with a CSINode; claims that do not exist are ignored.
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

// AttachedVolumes counts, for each node whose CSINode sets limits, the volumes of each CSI driver
// that its pods use or that are attached to it without a pod.
//
// The nodes of a driver are ordered by their remaining capacity: finding the full ones costs no
// more than their number.
class AttachedVolumes {
 public:
  // All must outlive this.
  AttachedVolumes(const PodTable& pods, const PodCsiVolumes& volumes, const StorageCatalog& catalog,
                  SymbolTable& symbols)
      : pods_(pods), volumes_(volumes), catalog_(catalog), symbols_(symbols) {}
  AttachedVolumes(const AttachedVolumes&) = delete;
  AttachedVolumes& operator=(const AttachedVolumes&) = delete;

  struct Node {
    std::map<std::string, int64_t> limits;  // By driver.
    PodCsiVolumes::Volumes used;            // By pods.
    std::map<std::string, int64_t> counts;  // By driver: `used`, and other attached volumes.
    std::string error;  // Why the pods' volumes cannot be counted; empty if they can.
    friend bool operator==(const Node&, const Node&) = default;
  };

  // Returns null if no limits are set for `node`.
  const Node* Find(Symbol node) const;

  // Calls visit(Symbol) for each node with capacity for fewer than `wanted` more volumes of
  // `driver`.
  template <typename Visit>
  void ForEachFull(const std::string& driver, int64_t wanted, Visit&& visit) const {
    const auto nodes = by_remaining_.find(driver);
    if (nodes == by_remaining_.end()) return;
    for (const auto& [remaining, node] : nodes->second) {
      if (remaining >= wanted) return;
      visit(node);
    }
  }
  // Reports whether some node limits the volumes of `driver`.
  bool Limits(const std::string& driver) const { return by_remaining_.contains(driver); }
  // The nodes whose pods' volumes cannot be counted.
  const std::set<Symbol>& uncountable() const { return uncountable_; }

  // --- changes ---

  void AddPod(PodId pod, Symbol node);
  void RemovePod(PodId pod, Symbol node);
  void PutLimits(const api::CsiNode& csi_node);
  void RemoveLimits(const std::string& node);
  void Put(std::shared_ptr<const api::VolumeAttachment> attachment);
  void RemoveAttachment(const std::string& name);

  // Recompute the counts of the pods of a node, of a volume, or all.
  void Recount(Symbol node);
  void RecountAttachmentsOf(const std::string& volume);
  void RecountAll();

 private:
  struct Attachment {
    SymbolHolder holder;  // Of `node`.
    Symbol node;
    std::shared_ptr<const api::VolumeAttachment> object;
  };
  using Names = std::set<std::string>;

  void CountPods(Symbol name, Node& node) const;
  void CountPod(PodId pod, Node& node) const;
  void CountAttachments(Symbol name, Node& node) const;
  void List(Symbol name, const Node& node);
  void Unlist(Symbol name, const Node& node);

  const PodTable& pods_;
  const PodCsiVolumes& volumes_;
  const StorageCatalog& catalog_;
  SymbolTable& symbols_;

  std::map<Symbol, Node> nodes_;
  std::map<Symbol, SymbolHolder> node_holders_;  // Of the keys of nodes_.
  std::map<std::string, std::set<std::pair<int64_t, Symbol>>> by_remaining_;  // By driver.
  std::set<Symbol> uncountable_;

  std::map<Symbol, std::vector<PodId>>
      pods_on_;  // Those that use storage. The rows hold the names.
  std::map<std::string, Attachment> attachments_;
  std::map<Symbol, Names> attachments_on_;
  std::map<std::string, Names> attachments_of_;  // By volume.
};

}  // namespace berth::scheduler::model
