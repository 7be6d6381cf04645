#include <algorithm>
#include <cmath>
#include <map>

#include "api/selector.h"
#include "base/saturating.h"
#include "scheduler/reference/rules.h"
#include "scheduler/reference/volumes.h"

namespace berth::scheduler::reference {
namespace {

using Claims = std::vector<const api::PersistentVolumeClaim*>;

const api::Quantity* StorageOf(const api::ResourceList& list) {
  const auto found = list.find("storage");
  return found == list.end() ? nullptr : &found->second;
}

bool IsSmaller(const api::Quantity* a, const api::Quantity* b) {
  return (a == nullptr ? api::Quantity() : *a) < (b == nullptr ? api::Quantity() : *b);
}

bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() &&
         claim.metadata.annotations.contains("pv.kubernetes.io/bind-completed");
}

// The affinity of volumes matches a node's labels, not its name.
bool MeetsAffinity(const std::optional<api::NodeSelector>& affinity, const api::Node& node) {
  return !affinity ||
         api::CompiledNodeSelector::MakeLazy(*affinity).Matches(node.metadata.labels, "");
}

// Reports whether the node can use new volumes of the class.
bool AllowsTopology(const api::StorageClass& storage_class, const api::Node& node) {
  if (storage_class.allowed_topologies.empty()) return true;
  return std::ranges::any_of(storage_class.allowed_topologies, [&](const auto& term) {
    const auto holds = [&](const api::TopologySelectorRequirement& expression) {
      const auto requirement =
          api::Requirement::Make(expression.key, api::SelectorOp::kIn, expression.values);
      return requirement && requirement->Matches(node.metadata.labels);
    };
    const auto& expressions = term.match_label_expressions;
    return !expressions.empty() && std::ranges::all_of(expressions, holds);
  });
}

bool IsReservedFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (!volume.claim_ref) return false;
  return volume.claim_ref->name == claim.metadata.name &&
         volume.claim_ref->namespace_ == claim.metadata.namespace_ &&
         (volume.claim_ref->uid.empty() || volume.claim_ref->uid == claim.metadata.uid);
}

// Reports whether size, mode and attributes class of the volume satisfy the claim.
bool Satisfies(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return !IsSmaller(StorageOf(volume.capacity), StorageOf(claim.requests)) &&
         volume.volume_mode.value_or("Filesystem") == claim.volume_mode.value_or("Filesystem") &&
         volume.volume_attributes_class_name.value_or("") ==
             claim.volume_attributes_class_name.value_or("") &&
         !volume.metadata.deletion_timestamp;
}

bool IsFreeFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  if (volume.claim_ref || volume.phase != "Available") return false;
  if (claim.selector) {
    const auto selector = api::Selector::FromLabelSelector(claim.selector);
    if (!selector || !selector->Matches(volume.metadata.labels)) return false;
  }
  return ClassOf(volume) == ClassOf(claim) &&
         std::ranges::all_of(claim.access_modes,
                             [&](const auto& mode) { return Contains(volume.access_modes, mode); });
}

// Why a node is rejected, in the order of the reasons.
struct Conflicts {
  bool wrong_affinity = false;
  bool nothing_to_bind = false;
  bool too_little_space = false;
  bool volume_missing = false;
  std::string error;
};

// What would be done for the claims that wait for a node.
struct Placement {
  std::vector<std::pair<const api::PersistentVolumeClaim*, const api::PersistentVolume*>> bound;
  // New volumes, with the storage that they are made of where that is known.
  std::vector<std::pair<const api::PersistentVolumeClaim*, const api::CsiStorageCapacity*>> made;
};

int64_t BytesOf(const api::Quantity* quantity) {
  return quantity == nullptr ? 0 : quantity->Value();
}

// VolumeBinding requires that the pod's claims are bound to volumes that the node can use, or can
// be bound there.
class VolumeBinding final : public Rule {
 public:
  using Rule::Rule;

  // Separates bound claims from those that wait for the pod; rejects unbound immediate ones.
  PreFilterOutcome PreFilter() override {
    Claims claims;
    for (const api::Volume& volume : pod_.spec.volumes) {
      const auto name = ClaimOf(pod_, volume);
      if (!name) continue;
      const auto* claim = FindClaim(name->name);
      std::string problem = ProblemOf(*name, claim);
      if (!problem.empty()) return {Unresolvable(std::move(problem))};
      claims.push_back(claim);
    }
    if (claims.empty()) return {framework::Verdict::Skip()};
    bool immediate = false;
    for (const auto* claim : claims) {
      if (IsFullyBound(*claim)) {
        bound_.push_back(claim);
        continue;
      }
      const auto* storage_class = Find(snapshot_.storage_classes, ClassOf(*claim));
      if (storage_class != nullptr && !storage_class->volume_binding_mode) {
        return {framework::Verdict::Error(BindingModeNotSet(ClassOf(*claim)))};
      }
      const bool waits = storage_class != nullptr && claim->volume_name.empty() &&
                         storage_class->volume_binding_mode == "WaitForFirstConsumer";
      if (waits) waiting_.push_back(claim);
      immediate |= !waits;
    }
    if (immediate) return {Unresolvable("pod has unbound immediate PersistentVolumeClaims")};
    return {};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    Conflicts found;
    CheckBound(node_state.node(), found);
    Placement placement;
    if (found.error.empty()) CheckWaiting(node_state.node(), found, placement);
    if (!found.error.empty()) return framework::Verdict::Error(found.error);
    std::vector<std::string> reasons;
    if (found.wrong_affinity) {
      reasons.push_back("node(s) didn't match PersistentVolume's node affinity");
    }
    if (found.nothing_to_bind) {
      reasons.push_back("node(s) didn't find available persistent volumes to bind");
    }
    if (found.too_little_space) reasons.push_back("node(s) did not have enough free storage");
    if (found.volume_missing) {
      reasons.push_back(
          "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    }
    if (reasons.empty()) return {};
    return {framework::Code::kUnschedulableAndUnresolvable, reasons};
  }

  framework::Verdict PreScore(const std::vector<const api::Node*>&) override {
    const bool scores = profile_.features.storage_capacity_scoring && !waiting_.empty();
    return scores ? framework::Verdict() : framework::Verdict::Skip();
  }

  // The average, over the storage classes, of the shape's value at the utilization of the storage.
  int64_t Score(const api::Node& node) const override {
    Conflicts found;
    Placement placement;
    CheckWaiting(node, found, placement);
    std::map<std::string, std::pair<int64_t, int64_t>> use;  // Requested bytes and capacity.
    for (const auto& [claim, volume] : placement.bound) {
      auto& [requested, capacity] = use[volume->storage_class_name];
      requested = SaturatingAdd(requested, BytesOf(StorageOf(claim->requests)));
      capacity = SaturatingAdd(capacity, BytesOf(StorageOf(volume->capacity)));
    }
    for (const auto& [claim, storage] : placement.made) {
      if (!placement.bound.empty() || storage == nullptr) continue;
      auto& [requested, capacity] = use[ClassOf(*claim)];
      requested = SaturatingAdd(requested, BytesOf(StorageOf(claim->requests)));
      capacity = storage->capacity ? storage->capacity->Value() : 0;
    }
    if (use.empty()) return 0;
    auto shape = profile_.volume_binding.shape.value_or(
        std::vector<framework::ShapePoint>{{0, 10}, {100, 0}});
    for (framework::ShapePoint& point : shape) point.score *= 10;
    int64_t sum = 0;
    for (const auto& [storage_class, bytes] : use) {
      const auto& [requested, capacity] = bytes;
      const bool full = capacity == 0 || requested > capacity;
      sum += ValueAt(shape, full ? 100 : MultiplyDivide(requested, 100, capacity));
    }
    return std::llround(static_cast<double>(sum) / static_cast<double>(use.size()));
  }

 private:
  // Returns the claim, including assumed changes.
  const api::PersistentVolumeClaim* FindClaim(const std::string& name) const {
    const auto* assumed = Find(snapshot_.assumed_claims, pod_.metadata.namespace_, name);
    return assumed != nullptr ? assumed : Find(snapshot_.claims, pod_.metadata.namespace_, name);
  }

  // Returns why the pod may not use the claim; "" if it may.
  std::string ProblemOf(const ClaimName& name, const api::PersistentVolumeClaim* claim) const {
    if (claim == nullptr && name.ephemeral) {
      return "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" +
             name.name + "\"";
    }
    if (claim == nullptr) return ClaimNotFound(name.name);
    const std::string quoted = "persistentvolumeclaim \"" + name.name + "\"";
    if (claim->phase == "Lost") {
      return quoted + " bound to non-existent persistentvolume \"" + claim->volume_name + "\"";
    }
    if (claim->metadata.deletion_timestamp) return quoted + " is being deleted";
    if (name.ephemeral && !IsOwnedBy(*claim, pod_)) return NotOwner(*claim, pod_);
    return "";
  }

  // Stops at the first claim that does not fit.
  void CheckBound(const api::Node& node, Conflicts& found) const {
    for (const auto* claim : bound_) {
      const auto* volume = Find(snapshot_.volumes, claim->volume_name);
      if (volume == nullptr) {
        found.volume_missing = true;
        return;
      }
      auto affinity = volume->node_affinity;
      if (IsMigrated(*volume, node)) {
        auto migrated = MigratedNodeAffinity(*volume);
        if (!migrated) {
          found.error = migrated.error().message;
          return;
        }
        affinity = *std::move(migrated);
      }
      if (!MeetsAffinity(affinity, node)) {
        found.wrong_affinity = true;
        return;
      }
    }
  }

  // The CSINode lists the in-tree plugins that are migrated on the node.
  bool IsMigrated(const api::PersistentVolume& volume, const api::Node& node) const {
    const std::string plugin = InTreePlugin(volume.source);
    const auto* csi_node = Find(snapshot_.csi_nodes, node.metadata.name);
    if (plugin.empty() || csi_node == nullptr) return false;
    const std::string* plugins =
        Find(csi_node->metadata.annotations, "storage.alpha.kubernetes.io/migrated-plugins");
    if (plugins == nullptr) return false;
    return ("," + *plugins + ",").find("," + plugin + ",") != std::string::npos;
  }

  void CheckWaiting(const api::Node& node, Conflicts& found, Placement& placement) const {
    Claims to_match;
    Claims to_provision;
    for (const auto* claim : waiting_) {
      const std::string* selected =
          Find(claim->metadata.annotations, "volume.kubernetes.io/selected-node");
      if (selected != nullptr && *selected != node.metadata.name) {
        found.nothing_to_bind = true;
        return;
      }
      (selected == nullptr ? to_match : to_provision).push_back(claim);
    }
    // Small claims are matched first.
    std::ranges::stable_sort(to_match, IsSmaller,
                             [](const auto* claim) { return StorageOf(claim->requests); });
    std::set<const api::PersistentVolume*> taken;
    for (const auto* claim : to_match) {
      const api::PersistentVolume* volume = Match(*claim, node, taken);
      if (volume == nullptr) {
        to_provision.push_back(claim);
      } else {
        taken.insert(volume);
        placement.bound.emplace_back(claim, volume);
      }
    }
    Provision(to_provision, node, found, placement);
  }

  // Returns the smallest volume that the claim can use on the node. A volume that is reserved for
  // the claim takes precedence, even if the node cannot use it.
  const api::PersistentVolume* Match(const api::PersistentVolumeClaim& claim, const api::Node& node,
                                     const std::set<const api::PersistentVolume*>& taken) const {
    const api::PersistentVolume* smallest = nullptr;
    for (const auto& [key, seen] : snapshot_.volumes) {
      const auto* assumed = Find(snapshot_.assumed_volumes, key.name);
      const auto* volume = assumed != nullptr ? assumed : seen.get();
      if (ClassOf(*volume) != ClassOf(claim)) continue;
      if (taken.contains(volume) || !Satisfies(*volume, claim)) continue;
      const bool reachable = MeetsAffinity(volume->node_affinity, node);
      if (IsReservedFor(*volume, claim)) return reachable ? volume : nullptr;
      if (!reachable || !IsFreeFor(*volume, claim)) continue;
      if (smallest == nullptr ||
          IsSmaller(StorageOf(volume->capacity), StorageOf(smallest->capacity))) {
        smallest = volume;
      }
    }
    return smallest;
  }

  // Stops at the first claim that cannot be provisioned.
  void Provision(const Claims& claims, const api::Node& node, Conflicts& found,
                 Placement& placement) const {
    for (const auto* claim : claims) {
      const std::string name = ClassOf(*claim);
      const auto* storage_class = Find(snapshot_.storage_classes, name);
      if (name.empty()) {
        found.error = "no class for claim \"" + claim->metadata.namespace_ + "/" +
                      claim->metadata.name + "\"";
        return;
      }
      if (storage_class == nullptr) {
        found.error = "failed to find storage class \"" + name + "\"";
        return;
      }
      const std::string& provisioner = storage_class->provisioner;
      if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner" ||
          !AllowsTopology(*storage_class, node)) {
        found.nothing_to_bind = true;
        return;
      }
      const api::CsiStorageCapacity* storage = nullptr;
      if (!HasSpace(*claim, *storage_class, node, storage)) {
        found.too_little_space = true;
        return;
      }
      placement.made.emplace_back(claim, storage);
    }
  }

  // A driver that publishes capacity must have enough of it for the node: `storage`, the first by
  // name.
  bool HasSpace(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                const api::Node& node, const api::CsiStorageCapacity*& storage) const {
    const api::Quantity* wanted = StorageOf(claim.requests);
    const auto* driver = Find(snapshot_.csi_drivers, storage_class.provisioner);
    if (wanted == nullptr || driver == nullptr || driver->storage_capacity != true) return true;
    for (const auto& [key, capacity] : snapshot_.csi_capacities) {
      if (capacity->storage_class_name != storage_class.metadata.name) continue;
      const auto& limit =
          capacity->maximum_volume_size ? capacity->maximum_volume_size : capacity->capacity;
      if (!limit || limit->Value() < wanted->Value()) continue;
      const auto selector = api::Selector::FromLabelSelector(capacity->node_topology);
      if (!selector || !selector->Matches(node.metadata.labels)) continue;
      storage = capacity.get();
      return true;
    }
    return false;
  }

  Claims bound_;
  Claims waiting_;
};

}  // namespace

std::unique_ptr<Rule> MakeVolumeBinding(const EvaluationInput& input) {
  return std::make_unique<VolumeBinding>(input);
}

}  // namespace berth::scheduler::reference
