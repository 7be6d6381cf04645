#include "scheduler/plugins/volume_binding/volume_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/saturating.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/model/volume_claims.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

constexpr std::string_view kMigratedPlugins = "storage.alpha.kubernetes.io/migrated-plugins";

framework::Verdict Reject(std::string reason) {
  return {framework::Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Reports whether the claim, as the API shows it, is usable.
framework::Verdict JudgeClaim(const api::Pod& pod, const model::ClaimOfVolume& wanted,
                              const api::PersistentVolumeClaim* claim) {
  if (claim == nullptr) {
    if (!wanted.ephemeral) return Reject(model::NotFound("persistentvolumeclaim", wanted.name));
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
    if (auto problem = model::NotMadeFor(pod, *claim)) return Reject(*std::move(problem));
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

// Reports whether the node's kubelet has migrated `plugin` to its CSI driver.
bool IsMigratedOn(const model::Cluster& cluster, model::NodeRow node,
                  const model::InTreePlugin& plugin) {
  const auto* csi_node = cluster.objects<api::CsiNode>().Find({"", cluster.nodes().name(node)});
  if (csi_node == nullptr) return false;
  const auto plugins = csi_node->metadata.annotations.find(kMigratedPlugins);
  return plugins != csi_node->metadata.annotations.end() && Lists(plugins->second, plugin.name);
}

// Reports whether every node has access to the volume, whatever plugins are migrated there.
bool IsReachableAnywhere(const model::StorageCatalog::Volume* volume) {
  return volume != nullptr && !volume->affinity &&
         (volume->in_tree == nullptr || (volume->migrated_affinity && !*volume->migrated_affinity));
}

}  // namespace

bool Provisions(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() &&
         storage_class.provisioner != "kubernetes.io/no-provisioner";
}

Result<bool> IsReachable(const model::Cluster& cluster, const model::StorageCatalog::Volume& volume,
                         model::NodeRow node) {
  const model::StorageCatalog::Affinity* affinity = &volume.affinity;
  if (volume.in_tree != nullptr && IsMigratedOn(cluster, node, *volume.in_tree)) {
    if (!volume.migrated_affinity) {
      return Fail("could not translate pv: " + volume.migrated_affinity.error().message);
    }
    affinity = &*volume.migrated_affinity;
  }
  return !*affinity || (*affinity)->Match(cluster.nodes().info(node).labels, cluster.symbols());
}

std::expected<std::shared_ptr<const VolumePlan>, framework::Verdict> VolumePlan::Make(
    const model::Cluster& cluster, const api::Pod& pod) {
  bool has_claims = false;
  const auto& claims = cluster.objects<api::PersistentVolumeClaim>();
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = model::ClaimOf(pod.metadata.name, volume);
    if (!wanted) continue;
    has_claims = true;
    framework::Verdict verdict =
        JudgeClaim(pod, *wanted, claims.Find({pod.metadata.namespace_, wanted->name}));
    if (!verdict.ok()) return std::unexpected(std::move(verdict));
  }
  if (!has_claims) return nullptr;

  std::shared_ptr<VolumePlan> plan(new VolumePlan(cluster));
  if (framework::Verdict verdict = plan->Classify(pod); !verdict.ok()) {
    return std::unexpected(std::move(verdict));
  }
  plan->PrepareWaiting();
  plan->any_node_ =
      plan->all_bound() && std::ranges::all_of(plan->bound_, IsReachableAnywhere, &Bound::volume);
  return plan;
}

// Sorts the claims, with all assumed writes, into those that are bound and those that wait for a
// node.
framework::Verdict VolumePlan::Classify(const api::Pod& pod) {
  const model::Storage& storage = cluster_.storage();
  bool some_immediate = false;
  for (const api::Volume& volume : pod.spec.volumes) {
    const auto wanted = model::ClaimOf(pod.metadata.name, volume);
    if (!wanted) continue;
    model::Storage::ClaimRef claim = storage.FindClaim({pod.metadata.namespace_, wanted->name});
    if (model::IsFullyBound(*claim)) {
      const auto* bound_to = storage.catalog().FindVolume(claim->volume_name);
      bound_.push_back({std::move(claim), bound_to});
      continue;
    }
    const auto* storage_class = storage.catalog().FindClass(model::StorageClassOf(*claim));
    if (storage_class != nullptr && !storage_class->object->volume_binding_mode) {
      return framework::Verdict::Error(
          fmt::format("VolumeBindingMode not set for StorageClass \"{}\"",
                      storage_class->object->metadata.name));
    }
    if (storage_class == nullptr || !claim->volume_name.empty() ||
        storage_class->object->volume_binding_mode != "WaitForFirstConsumer") {
      some_immediate = true;  // It should have been bound already.
      continue;
    }
    Waiting& waiting = waiting_.emplace_back();
    const auto selected = claim->metadata.annotations.find(model::kSelectedNodeAnnotation);
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
    FindCapacity(waiting, nodes);
  }
}

// Only drivers that request it have their capacities checked.
void VolumePlan::FindCapacity(Waiting& waiting, NodesByLabel& nodes) const {
  const api::Quantity* request = StorageRequest(*waiting.claim);
  const api::StorageClass& storage_class = *waiting.storage_class->object;
  const auto* driver = cluster_.objects<api::CsiDriver>().Find({"", storage_class.provisioner});
  if (request == nullptr || driver == nullptr || !driver->storage_capacity.value_or(false)) return;
  model::NodeMask& has_capacity = waiting.has_capacity.emplace(cluster_.nodes().rows());
  const bool for_scores = cluster_.features().storage_capacity_scoring;
  if (for_scores) waiting.capacity_of.resize(cluster_.nodes().rows());
  const auto& capacities = cluster_.storage().catalog().CapacitiesOf(storage_class.metadata.name);
  for (const auto& [key, capacity] : capacities) {
    const api::CsiStorageCapacity& object = *capacity.object;
    const auto& limit = object.maximum_volume_size ? object.maximum_volume_size : object.capacity;
    if (!limit || limit->Value() < request->Value()) continue;
    // DIFFERS: storage whose capacity is not known, only its maximumVolumeSize, counts as full, and
    // of several that a node can use the first by name counts. kube-scheduler crashes on the former
    // and takes any of the latter.
    const int64_t amount = object.capacity ? object.capacity->Value() : 0;
    nodes.ForEachMatch(capacity.nodes, capacity.pivot_key, [&](size_t row) {
      if (for_scores && !has_capacity.Test(row)) waiting.capacity_of[row] = amount;
      has_capacity.Set(row);
    });
  }
}

VolumePlan::OnNode VolumePlan::For(model::NodeRow node) const {
  OnNode result;
  Outcome outcome;
  Status status = CheckBound(node, outcome);
  if (status) status = PlaceWaiting(node, outcome, result);
  if (!status) {
    result.verdict = framework::Verdict::Error(status.error().message);
    return result;
  }
  std::vector<std::string> reasons;
  if (!outcome.reachable) {
    reasons.emplace_back("node(s) didn't match PersistentVolume's node affinity");
  }
  if (!outcome.bindable) {
    reasons.emplace_back("node(s) didn't find available persistent volumes to bind");
  }
  if (!outcome.has_capacity) reasons.emplace_back("node(s) did not have enough free storage");
  if (!outcome.volumes_exist) {
    reasons.emplace_back(
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  if (!reasons.empty()) {
    result.verdict =
        framework::Verdict(framework::Code::kUnschedulableAndUnresolvable, std::move(reasons));
  }
  return result;
}

// The first claim that fails decides.
Status VolumePlan::CheckBound(model::NodeRow node, Outcome& outcome) const {
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

Status VolumePlan::PlaceWaiting(model::NodeRow node, Outcome& outcome, OnNode& result) const {
  const model::NodeInfo& info = cluster_.nodes().info(node);
  std::vector<const Waiting*> unmatched;
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) continue;
    if (*waiting.selected_node != cluster_.nodes().name(node)) {
      outcome.bindable = false;
      return {};
    }
    unmatched.push_back(&waiting);
  }
  std::vector<const model::StorageCatalog::Volume*> taken;
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

// Reports whether a new volume can be provisioned for the claim.
bool VolumePlan::Provision(const Waiting& waiting, model::NodeRow node, Outcome& outcome) const {
  const model::StorageCatalog::Class& storage_class = *waiting.storage_class;
  const bool allowed =
      !storage_class.allowed ||
      storage_class.allowed->Match(cluster_.nodes().info(node).labels, cluster_.symbols());
  if (!Provisions(*storage_class.object) || !allowed) {
    outcome.bindable = false;
    return false;
  }
  outcome.has_capacity = !waiting.has_capacity || waiting.has_capacity->Test(node.index());
  return outcome.has_capacity;
}

std::map<std::string, VolumePlan::StorageUse> VolumePlan::UseOn(model::NodeRow node) const {
  std::map<std::string, StorageUse> uses;
  auto requested_by = [](const api::PersistentVolumeClaim& claim) {
    const api::Quantity* request = StorageRequest(claim);
    return request == nullptr ? 0 : request->Value();
  };
  const OnNode placed = For(node);
  for (const auto& [volume, claim] : placed.bindings) {
    StorageUse& use = uses[volume->storage_class_name];
    const auto size = volume->capacity.find("storage");
    use.requested = SaturatingAdd(use.requested, requested_by(*claim));
    if (size != volume->capacity.end())
      use.capacity = SaturatingAdd(use.capacity, size->second.Value());
  }
  if (!uses.empty()) return uses;
  for (const model::Storage::ClaimRef& claim : placed.provisions) {
    const auto waiting = std::ranges::find(waiting_, claim, &Waiting::claim);
    if (!waiting->has_capacity) continue;
    StorageUse& use = uses[model::StorageClassOf(*claim)];
    use.requested = SaturatingAdd(use.requested, requested_by(*claim));
    // All of them take from the same storage.
    use.capacity = waiting->capacity_of[node.index()];
  }
  return uses;
}

// --- explanations ---

namespace {

// claim "data" (5Gi)
std::string Named(const api::PersistentVolumeClaim& claim) {
  const std::string size = FormatRequestedStorage(claim);
  return fmt::format("claim \"{}\"{}", claim.metadata.name,
                     size.empty() ? "" : fmt::format(" ({})", size));
}

// allowedTopologies as a node selector.
api::NodeSelector AsNodeSelector(const std::vector<api::TopologySelectorTerm>& allowed) {
  api::NodeSelector selector;
  for (const api::TopologySelectorTerm& term : allowed) {
    api::NodeSelectorTerm& same = selector.terms.emplace_back();
    for (const auto& expression : term.match_label_expressions) {
      same.match_expressions.push_back({expression.key, "In", expression.values});
    }
  }
  return selector;
}

bool Contains(const std::vector<model::Storage::ClaimRef>& claims,
              const model::Storage::ClaimRef& claim) {
  return std::ranges::find(claims, claim) != claims.end();
}

}  // namespace

std::string VolumePlan::DetailsFor(model::NodeRow node) const {
  std::string bound = DetailsOfBound(node);
  std::string waiting = DetailsOfWaiting(node);
  return bound.empty() || waiting.empty() ? bound + waiting : bound + "; " + waiting;
}

std::string VolumePlan::DetailsOfBound(model::NodeRow node) const {
  for (const auto& [claim, volume] : bound_) {
    const std::string& name = claim->metadata.name;
    if (volume == nullptr) {
      return fmt::format("claim \"{}\" is bound to volume {}, which does not exist", name,
                         claim->volume_name);
    }
    if (IsReachable(cluster_, *volume, node).value_or(true)) continue;
    const api::PersistentVolume& object = *volume->object;
    std::string text =
        fmt::format("claim \"{}\" is bound to volume {}, which the node cannot reach", name,
                    object.metadata.name);
    if (!object.node_affinity) return text;
    return fmt::format("{}: the volume {}", text,
                       WhyNoTermMatches(*object.node_affinity,
                                        cluster_.nodes().info(node).object->metadata.labels, ""));
  }
  return "";
}

std::string VolumePlan::DetailsOfWaiting(model::NodeRow node) const {
  std::vector<const Waiting*> in_order;
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) continue;
    if (*waiting.selected_node != cluster_.nodes().name(node)) {
      return fmt::format("the volume for {} is being made on node {}", Named(*waiting.claim),
                         *waiting.selected_node);
    }
    in_order.push_back(&waiting);
  }
  std::ranges::copy(by_size_, std::back_inserter(in_order));
  const OnNode placed = For(node);
  for (const Waiting* waiting : in_order) {
    const bool bound = std::ranges::find(placed.bindings, waiting->claim, &Binding::claim) !=
                       placed.bindings.end();
    // The plan ended at the first claim that gets no volume.
    if (!bound && !Contains(placed.provisions, waiting->claim)) return WhyNotMade(*waiting, node);
  }
  return "";
}

std::string VolumePlan::WhyNotMade(const Waiting& waiting, model::NodeRow node) const {
  const api::StorageClass& storage_class = *waiting.storage_class->object;
  const std::string& name = storage_class.metadata.name;
  const std::string none = fmt::format("no free volume of class \"{}\" for {} is reachable, and ",
                                       name, Named(*waiting.claim));
  const std::string& provisioner = storage_class.provisioner;
  if (!Provisions(storage_class)) return none + "the class provisions none";
  const api::StringMap& labels = cluster_.nodes().info(node).object->metadata.labels;
  const auto& allowed = waiting.storage_class->allowed;
  if (allowed && !allowed->Match(cluster_.nodes().info(node).labels, cluster_.symbols())) {
    return none + "the class provisions none here: it " +
           WhyNoTermMatches(AsNodeSelector(storage_class.allowed_topologies), labels, "");
  }
  if (waiting.has_capacity && !waiting.has_capacity->Test(node.index())) {
    return none + fmt::format("{} has no capacity here to provision one", provisioner);
  }
  return "";
}

}  // namespace berth::scheduler::plugins
