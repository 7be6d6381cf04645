// AttachedVolumes counts, for each node whose CSINode sets limits, the volumes of each CSI driver
// that its pods use or that are attached to it without a pod.
//
// The nodes of a driver are ordered by the room they have left, so that finding those that are full
// costs as much as there are such nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/ids.h"
#include "cluster/pod_csi_volumes.h"
#include "cluster/pod_table.h"

namespace berth {

class AttachedVolumes {
 public:
  // All must outlive this.
  AttachedVolumes(const PodTable& pods, const PodCsiVolumes& volumes, const StorageCatalog& catalog)
      : pods_(pods), volumes_(volumes), catalog_(catalog) {}
  AttachedVolumes(const AttachedVolumes&) = delete;
  AttachedVolumes& operator=(const AttachedVolumes&) = delete;

  struct Node {
    std::map<std::string, int64_t> limits;  // By driver.
    PodCsiVolumes::Volumes used;            // By pods.
    std::map<std::string, int64_t> counts;  // By driver: `used`, and what is attached besides.
    std::string error;                      // Why the pods' volumes cannot be counted; else empty.
    friend bool operator==(const Node&, const Node&) = default;
  };

  // Null if no limits are set for `node`.
  const Node* Find(Symbol node) const;

  // Calls visit(Symbol) for each node with room for fewer than `wanted` more volumes of `driver`.
  template <typename Visit>
  void ForEachFull(const std::string& driver, int64_t wanted, Visit&& visit) const {
    const auto rooms = by_room_.find(driver);
    if (rooms == by_room_.end()) return;
    for (const auto& [room, node] : rooms->second) {
      if (room >= wanted) return;
      visit(node);
    }
  }
  // The nodes whose pods' volumes cannot be counted.
  const std::set<Symbol>& uncountable() const { return uncountable_; }

  // --- changes ---

  void AddPod(PodId pod, Symbol node);
  void RemovePod(PodId pod, Symbol node);
  void PutLimits(Symbol node, const api::CsiNode& csi_node);
  void RemoveLimits(Symbol node);
  void Put(Symbol node, std::shared_ptr<const api::VolumeAttachment> attachment);
  void RemoveAttachment(const std::string& name);

  // What the counts rest on has changed: for the pods of a node, for a volume, or anywhere.
  void Recount(Symbol node);
  void RecountAttachmentsOf(const std::string& volume);
  void RecountAll();

 private:
  struct Attachment {
    Symbol node;
    std::shared_ptr<const api::VolumeAttachment> object;
  };
  using Names = std::set<std::string>;

  void CountPods(Symbol name, Node& node) const;
  void CountAttachments(Symbol name, Node& node) const;
  void List(Symbol name, const Node& node);
  void Unlist(Symbol name, const Node& node);

  const PodTable& pods_;
  const PodCsiVolumes& volumes_;
  const StorageCatalog& catalog_;

  std::map<Symbol, Node> nodes_;
  std::map<std::string, std::set<std::pair<int64_t, Symbol>>> by_room_;  // By driver.
  std::set<Symbol> uncountable_;

  std::map<Symbol, std::vector<PodId>> pods_on_;  // Those that use storage.
  std::map<std::string, Attachment> attachments_;
  std::map<Symbol, Names> attachments_on_;
  std::map<std::string, Names> attachments_of_;  // By volume.
};

}  // namespace berth
