// Which events PodTopologySpread's rejected pods wait for.
#include <algorithm>
#include <vector>

#include "api/selector.h"
#include "cluster/default_selector.h"
#include "plugins/hints.h"
#include "plugins/pod_topology_spread.h"

namespace berth {
namespace {

// A constraint that forbids nodes, and whom it counts.
struct Constraint {
  const api::TopologySpreadConstraint* source;
  api::Selector selector;
};

using Constraints = std::vector<Constraint>;

bool IsHard(const api::TopologySpreadConstraint& constraint) {
  return constraint.when_unsatisfiable == "DoNotSchedule";
}

Result<api::Selector> SelectorOf(const api::TopologySpreadConstraint& constraint,
                                 const api::StringMap& labels) {
  auto selector = api::Selector::FromLabelSelector(constraint.label_selector);
  if (!selector || selector->nothing()) return selector;
  for (const std::string& key : constraint.match_label_keys) {
    const auto found = labels.find(key);
    if (found == labels.end()) continue;
    auto equal = api::Requirement::Make(key, api::SelectorOp::kIn, {found->second});
    if (!equal) return std::unexpected(equal.error());
    selector->Add(*std::move(equal));
  }
  return selector;
}

// The hard constraints of the pod itself, or the default ones if it has no constraints at all. The
// system's defaults are soft.
Result<Constraints> HardConstraintsOf(const api::Pod& pod, const PodTopologySpreadArgs& args,
                                      const Cluster& cluster) {
  Constraints hard;
  const auto& own = pod.spec.topology_spread_constraints;
  for (const api::TopologySpreadConstraint& constraint : own) {
    if (!IsHard(constraint)) continue;
    auto selector = SelectorOf(constraint, pod.metadata.labels);
    if (!selector) return std::unexpected(selector.error());
    hard.push_back({&constraint, *std::move(selector)});
  }
  if (!own.empty() || args.defaulting_type == "System" ||
      std::ranges::none_of(args.default_constraints, IsHard)) {
    return hard;
  }
  const api::Selector owners = DefaultSelector(cluster, pod);
  if (owners.empty()) return hard;
  for (const api::TopologySpreadConstraint& constraint : args.default_constraints) {
    if (IsHard(constraint)) hard.push_back({&constraint, owners});
  }
  return hard;
}

// True if `other` is, or may be, among the pods that are counted for `pod`.
bool IsInvolved(const PodRecord& pod, const api::Pod& other) {
  return IsSamePod(pod, other) ||
         (TakesRoom(other) && other.metadata.namespace_ == pod.object->metadata.namespace_);
}

bool HonorsTaints(const Constraint& constraint) {
  return constraint.source->node_taints_policy == "Honor";
}

bool MayHelpByPod(const PodRecord& pod, const Constraints& hard, const Change<api::Pod>& other) {
  auto counts = [](const Constraint& constraint, const api::Pod& version) {
    return constraint.selector.Matches(version.metadata.labels);
  };
  if (other.before == nullptr || other.after == nullptr) {
    const api::Pod& only = other.before == nullptr ? *other.after : *other.before;
    return std::ranges::any_of(hard, [&](const Constraint& c) { return counts(c, only); });
  }
  if (IsSamePod(pod, *other.after) &&
      other.before->spec.tolerations != other.after->spec.tolerations &&
      std::ranges::any_of(hard, HonorsTaints)) {
    return true;
  }
  return std::ranges::any_of(hard, [&](const Constraint& c) {
    return counts(c, *other.before) != counts(c, *other.after);
  });
}

bool HasAllKeys(const Constraints& hard, const api::Node& node) {
  return std::ranges::all_of(hard, [&](const Constraint& constraint) {
    return node.metadata.labels.contains(constraint.source->topology_key);
  });
}

// Both versions of the node have all keys.
bool DomainChanged(const Constraints& hard, const api::Node& before, const api::Node& after) {
  return std::ranges::any_of(hard, [&](const Constraint& constraint) {
    const std::string& key = constraint.source->topology_key;
    return before.metadata.labels.find(key)->second != after.metadata.labels.find(key)->second;
  });
}

bool MayHelpByNode(const Constraints& hard, const Change<api::Node>& node) {
  const bool counted = node.before != nullptr && HasAllKeys(hard, *node.before);
  const bool counts = node.after != nullptr && HasAllKeys(hard, *node.after);
  if (counted != counts) return true;
  // It counts before and after, or neither.
  return counts && (DomainChanged(hard, *node.before, *node.after) ||
                    node.before->spec.taints != node.after->spec.taints);
}

}  // namespace

std::vector<Interest> PodTopologySpread::Interests() const {
  return {{{Resource::kPod, kAdd | kUpdatePodLabel | kUpdatePodToleration | kDelete}},
          {{Resource::kNode, kAdd | kDelete | kUpdateNodeLabel | kUpdateNodeTaint}}};
}

Result<bool> PodTopologySpread::MayHelp(const Cluster& cluster, const PodRecord& pod,
                                        const ClusterEvent& event) const {
  const auto hard = HardConstraintsOf(*pod.object, args_, cluster);
  if (!hard) return std::unexpected(hard.error());
  if (KindOf(event) == Resource::kNode) {
    const auto node = ChangeOf<api::Node>(event);
    if (!node) return std::unexpected(node.error());
    return MayHelpByNode(*hard, *node);
  }
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  for (const api::Pod* version : {other->before, other->after}) {
    if (version != nullptr && !IsInvolved(pod, *version)) return false;
  }
  return MayHelpByPod(pod, *hard, *other);
}

}  // namespace berth
