#include "plugins/volume_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/volume_claims.h"

namespace berth {
namespace {

constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

Verdict Reject(std::string reason) {
  return {Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Whether the claim, as the API shows it, is fit for use.
Verdict JudgeClaim(const api::Pod& pod, const ClaimOfVolume& wanted,
                   const api::PersistentVolumeClaim* claim) {
  if (claim == nullptr) {
    if (!wanted.ephemeral) return Reject(NotFound("persistentvolumeclaim", wanted.name));
    return Reject(fmt::format(
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
        wanted.name));
  }
  if (claim->phase == "Lost") {
    return Reject(
        fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                    wanted.name, claim->volume_name));
  }
  if (claim->metadata.deletion_timestamp) {
    return Reject(fmt::format("persistentvolumeclaim \"{}\" is being deleted", wanted.name));
  }
  if (wanted.ephemeral) {
    if (auto problem = NotMadeFor(pod, *claim)) return Reject(*std::move(problem));
  }
  return {};
}

const api::Quantity* StorageRequest(const api::PersistentVolumeClaim& claim) {
  const auto found = claim.requests.find("storage");
  return found == claim.requests.end() ? nullptr : &found->second;
}

bool AsksForLess(const api::PersistentVolumeClaim& a, const api::PersistentVolumeClaim& b) {
  static const api::Quantity kNothing;
  const api::Quantity* left = StorageRequest(a);
  const api::Quantity* right = StorageRequest(b);
  return (left != nullptr ? *left : kNothing) < (right != nullptr ? *right : kNothing);
}

bool Lists(std::string_view comma_separated, std::string_view name) {
  while (true) {
    const size_t comma = comma_separated.find(',');
    if (comma_separated.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    comma_separated.remove_prefix(comma + 1);
  }
}

// True if the node's kubelet leaves the volumes of `plugin` to their CSI driver.
bool IsMigratedOn(const Cluster& cluster, NodeRow node, const InTreePlugin& plugin) {
  const auto* csi_node = cluster.objects<api::CsiNode>().Find({"", cluster.nodes().name(node)});
  if (csi_node == nullptr) return false;
  const auto plugins = csi_node->metadata.annotations.find(kMigratedPlugins);
  return plugins != csi_node->metadata.annotations.end() && Lists(plugins->second, plugin.name);
}

// True if every node reaches the volume, whatever plugins are migrated there.
bool IsReachableAnywhere(const StorageCatalog::Volume* volume) {
  return volume != nullptr && !volume->affinity &&
         (volume->in_tree == nullptr || (volume->migrated_affinity && !*volume->migrated_affinity));
}

}  // namespace

Result<bool> IsReachable(const Cluster& cluster, const StorageCatalog::Volume& volume,
                         NodeRow node) {
  const StorageCatalog::Affinity* affinity = &volume.affinity;
  if (volume.in_tree != nullptr && IsMigratedOn(cluster, node, *volume.in_tree)) {
    if (!volume.migrated_affinity) {
      return Fail("could not translate pv: " + volume.migrated_affinity.error().message);
    }
    affinity = &*volume.migrated_affinity;
  }
  return !*affinity || (*affinity)->Match(cluster.nodes().info(node).labels, cluster.symbols());
}

std::expected<std::shared_ptr<const VolumePlan>, Verdict> VolumePlan::Make(const Cluster& cluster,
                                                                           const api::Pod& pod) {
  bool has_claims = false;
  const auto& claims = cluster.objects<api::PersistentVolumeClaim>();
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = ClaimOf(pod.metadata.name, volume);
    if (!wanted) continue;
    has_claims = true;
    Verdict verdict =
        JudgeClaim(pod, *wanted, claims.Find({pod.metadata.namespace_, wanted->name}));
    if (!verdict.ok()) return std::unexpected(std::move(verdict));
  }
  if (!has_claims) return nullptr;

  std::shared_ptr<VolumePlan> plan(new VolumePlan(cluster));
  if (Verdict verdict = plan->Classify(pod); !verdict.ok()) {
    return std::unexpected(std::move(verdict));
  }
  plan->PrepareWaiting();
  plan->any_node_ =
      plan->all_bound() && std::ranges::all_of(plan->bound_, IsReachableAnywhere, &Bound::volume);
  return plan;
}

// Sorts the claims, as they will be once all that was decided is written, into those that are bound
// and those that wait for a node.
Verdict VolumePlan::Classify(const api::Pod& pod) {
  const Storage& storage = cluster_.storage();
  bool some_immediate = false;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = ClaimOf(pod.metadata.name, volume);
    if (!wanted) continue;
    Storage::ClaimRef claim = storage.FindClaim({pod.metadata.namespace_, wanted->name});
    if (IsFullyBound(*claim)) {
      const auto* bound_to = storage.catalog().FindVolume(claim->volume_name);
      bound_.push_back({std::move(claim), bound_to});
      continue;
    }
    const auto* storage_class = storage.catalog().FindClass(StorageClassOf(*claim));
    if (storage_class != nullptr && !storage_class->object->volume_binding_mode) {
      return Verdict::Error(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"",
                                        storage_class->object->metadata.name));
    }
    if (storage_class == nullptr || !claim->volume_name.empty() ||
        storage_class->object->volume_binding_mode != "WaitForFirstConsumer") {
      some_immediate = true;  // It should have been bound already.
      continue;
    }
    Waiting& waiting = waiting_.emplace_back();
    const auto selected = claim->metadata.annotations.find(kSelectedNode);
    if (selected != claim->metadata.annotations.end()) waiting.selected_node = &selected->second;
    waiting.storage_class = storage_class;
    waiting.claim = std::move(claim);
  }
  if (some_immediate) return Reject("pod has unbound immediate PersistentVolumeClaims");
  return {};
}

void VolumePlan::PrepareWaiting() {
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) by_size_.push_back(&waiting);
  }
  std::ranges::stable_sort(by_size_, [](const Waiting* a, const Waiting* b) {
    return AsksForLess(*a->claim, *b->claim);
  });
  NodesByLabel nodes(cluster_.nodes(), cluster_.symbols());
  for (Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) {
      waiting.matching = VolumeMatching::Make(cluster_, *waiting.claim, by_size_.size(), nodes);
    }
    waiting.roomy = RoomyNodes(waiting, nodes);
  }
}

// Only drivers that ask for it have their capacities looked at.
std::optional<NodeMask> VolumePlan::RoomyNodes(const Waiting& waiting, NodesByLabel& nodes) const {
  const api::Quantity* request = StorageRequest(*waiting.claim);
  const api::StorageClass& storage_class = *waiting.storage_class->object;
  const auto* driver = cluster_.objects<api::CsiDriver>().Find({"", storage_class.provisioner});
  if (request == nullptr || driver == nullptr || !driver->storage_capacity.value_or(false)) {
    return std::nullopt;
  }
  NodeMask roomy(cluster_.nodes().rows());
  const auto& capacities = cluster_.storage().catalog().CapacitiesOf(storage_class.metadata.name);
  for (const auto& [key, capacity] : capacities) {
    const api::CsiStorageCapacity& object = *capacity.object;
    const auto& limit = object.maximum_volume_size ? object.maximum_volume_size : object.capacity;
    if (!limit || limit->Value() < request->Value()) continue;
    nodes.ForEachMatch(capacity.nodes, [&](size_t row) { roomy.Set(row); });
  }
  return roomy;
}

VolumePlan::OnNode VolumePlan::For(NodeRow node) const {
  OnNode result;
  Outcome outcome;
  Status status = CheckBound(node, outcome);
  if (status) status = PlaceWaiting(node, outcome, result);
  if (!status) {
    result.verdict = Verdict::Error(status.error().message);
    return result;
  }
  std::vector<std::string> reasons;
  if (!outcome.reachable) {
    reasons.emplace_back("node(s) didn't match PersistentVolume's node affinity");
  }
  if (!outcome.bindable) {
    reasons.emplace_back("node(s) didn't find available persistent volumes to bind");
  }
  if (!outcome.roomy) reasons.emplace_back("node(s) did not have enough free storage");
  if (!outcome.volumes_exist) {
    reasons.emplace_back(
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  if (!reasons.empty()) {
    result.verdict = Verdict(Code::kUnschedulableAndUnresolvable, std::move(reasons));
  }
  return result;
}

// The first claim that fails decides.
Status VolumePlan::CheckBound(NodeRow node, Outcome& outcome) const {
  for (const auto& [claim, volume] : bound_) {
    if (volume == nullptr) {
      outcome.volumes_exist = false;
      return {};
    }
    const auto reachable = IsReachable(cluster_, *volume, node);
    if (!reachable) return std::unexpected(reachable.error());
    if (!*reachable) {
      outcome.reachable = false;
      return {};
    }
  }
  return {};
}

Status VolumePlan::PlaceWaiting(NodeRow node, Outcome& outcome, OnNode& result) const {
  const NodeInfo& info = cluster_.nodes().info(node);
  std::vector<const Waiting*> unmatched;
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) continue;
    if (*waiting.selected_node != cluster_.nodes().name(node)) {
      outcome.bindable = false;
      return {};
    }
    unmatched.push_back(&waiting);
  }
  std::vector<const StorageCatalog::Volume*> taken;
  for (const Waiting* waiting : by_size_) {
    if (!waiting->matching) return std::unexpected(waiting->matching.error());
    const auto* volume = (*waiting->matching)->Best(info, node, taken, cluster_.symbols());
    if (volume == nullptr) {
      unmatched.push_back(waiting);
      continue;
    }
    taken.push_back(volume);
    result.bindings.push_back({cluster_.storage().Current(*volume), waiting->claim});
  }
  for (const Waiting* waiting : unmatched) {
    if (!Provision(*waiting, node, outcome)) return {};
    result.provisions.push_back(waiting->claim);
  }
  return {};
}

// Whether a new volume can be made for the claim.
bool VolumePlan::Provision(const Waiting& waiting, NodeRow node, Outcome& outcome) const {
  const StorageCatalog::Class& storage_class = *waiting.storage_class;
  const std::string& provisioner = storage_class.object->provisioner;
  const bool allowed =
      !storage_class.allowed ||
      storage_class.allowed->Match(cluster_.nodes().info(node).labels, cluster_.symbols());
  if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner" || !allowed) {
    outcome.bindable = false;
    return false;
  }
  outcome.roomy = !waiting.roomy || waiting.roomy->Test(node.index());
  return outcome.roomy;
}

}  // namespace berth
