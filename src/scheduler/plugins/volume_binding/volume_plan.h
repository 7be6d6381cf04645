// VolumePlan holds VolumeBinding's findings about a pod's claims: which are bound, which wait for a
// node, and what would be done for those on each node.
//
// It is made in PreFilter and refers to objects of the cluster: it is invalid once the cluster has
// changed.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/plugins/volume_binding/volume_matching.h"

namespace berth::scheduler::plugins {

class VolumePlan {
 public:
  // Fails with the verdict that makes the pod unschedulable. Returns null if it has no claims.
  static std::expected<std::shared_ptr<const VolumePlan>, framework::Verdict> Make(
      const model::Cluster& cluster, const api::Pod& pod);

  struct Binding {
    model::Storage::VolumeRef volume;
    model::Storage::ClaimRef claim;
  };
  // What would be done on one node: existing volumes that are bound to claims, and claims for which
  // new volumes are provisioned.
  struct OnNode {
    framework::Verdict verdict;
    std::vector<Binding> bindings;
    std::vector<model::Storage::ClaimRef> provisions;
  };
  OnNode For(model::NodeRow node) const;

  // How much of some storage the pod would take.
  struct StorageUse {
    int64_t requested = 0, capacity = 0;
    friend bool operator==(const StorageUse&, const StorageUse&) = default;
  };
  // Returns, for each storage class, the use of the volumes that would be bound on `node` or, if
  // there are none, of the storage that new ones would be made of, where its capacity is known. For
  // scores: the cluster has the feature StorageCapacityScoring.
  std::map<std::string, StorageUse> UseOn(model::NodeRow node) const;

  // Returns what For requires of a node, for `plugin`, which calls For.
  framework::Conditions Require(const framework::NodeFilter& plugin) const;

  // Returns which claim excludes `node`, and why, for users; empty if none does.
  std::string DetailsFor(model::NodeRow node) const;

  // Reports whether there is nothing to do on any node.
  bool all_bound() const { return waiting_.empty(); }

 private:
  struct Bound {
    model::Storage::ClaimRef claim;
    const model::StorageCatalog::Volume* volume = nullptr;  // Null if it does not exist.
  };
  struct Waiting {
    model::Storage::ClaimRef claim;
    const model::StorageCatalog::Class* storage_class = nullptr;
    // The node that was selected for it in an earlier attempt; such a claim gets a new volume.
    const std::string* selected_node = nullptr;
    Result<std::optional<VolumeMatching>> matching;  // Unless a node was selected.
    // The nodes with access to enough free storage; absent if that is not known.
    std::optional<model::NodeMask> has_capacity;
    // For scores: the capacity of the storage that each of these rows would use.
    std::vector<int64_t> capacity_of;
  };
  struct Outcome {
    bool reachable = true, bindable = true, has_capacity = true, volumes_exist = true;
  };

  // What is known of the nodes that For allows before it is called.
  struct Hints {
    std::optional<std::vector<model::NodeRow>> few;  // The only nodes, if they are few.
    // By the affinity of volumes and the allowedTopologies of storage classes.
    std::vector<std::shared_ptr<const framework::NodePredicate>> labels;
    std::vector<const model::NodeMask*> only;
    bool suffice = false;  // For allows all nodes that meet them.
  };

  explicit VolumePlan(const model::Cluster& cluster) : cluster_(cluster) {}
  framework::Verdict Classify(const api::Pod& pod);
  void PrepareWaiting();
  void FindCapacity(Waiting& waiting, NodesByLabel& nodes) const;
  Status CheckBound(model::NodeRow node, Outcome& outcome) const;
  Status PlaceWaiting(model::NodeRow node, Outcome& outcome, OnNode& result) const;
  bool Provision(const Waiting& waiting, model::NodeRow node, Outcome& outcome) const;
  bool MayFail() const;
  Hints FindHints() const;
  static bool MustProvision(const Waiting& waiting);
  static const model::NodeMask* OnlyNodes(const Waiting& waiting);
  std::optional<std::vector<model::NodeRow>> OnlyRows() const;
  std::string DetailsOfBound(model::NodeRow node) const;
  std::string DetailsOfWaiting(model::NodeRow node) const;
  std::string WhyNotMade(const Waiting& waiting, model::NodeRow node) const;

  const model::Cluster& cluster_;
  std::vector<Bound> bound_;
  std::vector<Waiting> waiting_;         // In order of the pod's volumes.
  std::vector<const Waiting*> by_size_;  // Those to match, smallest request first.
  bool any_node_ = false;
  mutable std::shared_ptr<const Hints> hints_;  // Null before they are asked for.
};

// Reports whether volumes are provisioned for claims of the class.
bool Provisions(const api::StorageClass& storage_class);

// Reports whether `volume` is accessible from `node`. Fails if that cannot be determined.
Result<bool> IsReachable(const model::Cluster& cluster, const model::StorageCatalog::Volume& volume,
                         model::NodeRow node);

}  // namespace berth::scheduler::plugins
