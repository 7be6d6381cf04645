#include <algorithm>
#include <cmath>
#include <limits>

#include "api/selector.h"
#include "scheduler/reference/rules.h"

namespace berth::scheduler::reference {
namespace {

// Overwrites equal keys.
void Merge(const api::StringMap& from, api::StringMap& into) {
  for (const auto& [key, value] : from) into.insert_or_assign(key, value);
}

template <typename T>
void AddRequirements(const T* owner, api::Selector& selector) {
  if (owner == nullptr) return;
  const auto own = api::Selector::FromLabelSelector(owner->selector);
  if (!own || own->nothing()) return;
  for (const api::Requirement& requirement : own->requirements()) selector.Add(requirement);
}

}  // namespace

api::Selector OwnerSelector(const Snapshot& snapshot, const api::Pod& pod) {
  const std::string& namespace_ = pod.metadata.namespace_;
  api::StringMap labels;
  for (const auto& [key, service] : snapshot.services) {
    if (key.namespace_ != namespace_ || !service->selector) continue;
    if (api::Selector::FromMap(*service->selector).Matches(pod.metadata.labels)) {
      Merge(*service->selector, labels);
    }
  }
  const auto& owners = pod.metadata.owner_references;
  const auto owner =
      std::ranges::find_if(owners, [](const auto& o) { return o.controller == true; });
  if (owner == owners.end()) return api::Selector::FromMap(labels);

  if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
    const auto* controller = Find(snapshot.replication_controllers, namespace_, owner->name);
    if (controller != nullptr) Merge(controller->selector, labels);
  }
  api::Selector selector = api::Selector::FromMap(labels);
  if (owner->api_version == "apps/v1" && owner->kind == "ReplicaSet") {
    AddRequirements(Find(snapshot.replica_sets, namespace_, owner->name), selector);
  }
  if (owner->api_version == "apps/v1" && owner->kind == "StatefulSet") {
    AddRequirements(Find(snapshot.stateful_sets, namespace_, owner->name), selector);
  }
  return selector;
}

namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

struct Constraint {
  api::TopologySpreadConstraint spec;
  api::Selector selector;

  const std::string& key() const { return spec.topology_key; }
};

std::vector<api::TopologySpreadConstraint> SystemDefaults() {
  api::TopologySpreadConstraint host;
  host.max_skew = 3;
  host.topology_key = kHostname;
  host.when_unsatisfiable = "ScheduleAnyway";
  api::TopologySpreadConstraint zone = host;
  zone.max_skew = 5;
  zone.topology_key = "topology.kubernetes.io/zone";
  return {host, zone};
}

// Returns the constraint's selector, narrowed to the pod's values of matchLabelKeys.
Result<api::Selector> SelectorOf(const api::TopologySpreadConstraint& spec, const api::Pod& pod,
                                 const model::Features& features) {
  auto selector = api::Selector::FromLabelSelector(spec.label_selector);
  if (!selector || selector->nothing()) return selector;
  if (!features.match_label_keys_in_pod_topology_spread) return selector;
  for (const std::string& key : spec.match_label_keys) {
    const std::string* value = Find(pod.metadata.labels, key);
    if (value == nullptr) continue;
    auto same = api::Requirement::Make(key, api::SelectorOp::kIn, {*value});
    if (same) selector->Add(*std::move(same));
  }
  return selector;
}

// PodTopologySpread balances the numbers of matching pods over domains: hard constraints reject
// nodes, soft ones score them.
class PodTopologySpread final : public Rule {
 public:
  using Rule::Rule;

  // Counts the matching pods in each domain.
  PreFilterOutcome PreFilter() override {
    auto constraints = ConstraintsOfPod("DoNotSchedule");
    if (!constraints) return {framework::Verdict::Error(constraints.error().message)};
    hard_ = *std::move(constraints);
    if (hard_.empty()) return {framework::Verdict::Skip()};
    pods_in_.resize(hard_.size());
    for (const auto& [key, node] : snapshot_.nodes) {
      if (!HasAllKeys(*node, hard_)) continue;
      for (size_t i = 0; i < hard_.size(); ++i) {
        if (!Includes(hard_[i], *node)) continue;
        pods_in_[i][node->metadata.labels.at(hard_[i].key())] += CountOn(*node, hard_[i].selector);
      }
    }
    return {};
  }

  framework::Verdict Filter(const NodeState& node_state) const override {
    for (size_t i = 0; i < hard_.size(); ++i) {
      const Constraint& constraint = hard_[i];
      const std::string* domain = Find(node_state.labels(), constraint.key());
      if (domain == nullptr) {
        return Unresolvable(
            "node(s) didn't match pod topology spread constraints (missing required label)");
      }
      std::map<std::string, int64_t> pods = pods_in_[i];
      Apply(node_state, constraint, pods);
      const auto here = pods.find(*domain);
      const int64_t count = here == pods.end() ? 0 : here->second;
      const int64_t self = constraint.selector.Matches(pod_.metadata.labels) ? 1 : 0;
      if (count + self - MinMatch(constraint, pods) > constraint.spec.max_skew) {
        return Unschedulable("node(s) didn't match pod topology spread constraints");
      }
    }
    return {};
  }

  // Counts the matching pods on all nodes, in the domains of feasible nodes.
  framework::Verdict PreScore(const std::vector<const api::Node*>& feasible) override {
    auto constraints = ConstraintsOfPod("ScheduleAnyway");
    if (!constraints) return framework::Verdict::Error(constraints.error().message);
    soft_ = *std::move(constraints);
    if (soft_.empty()) return framework::Verdict::Skip();
    // With the system defaults, a node without a zone is still spread over by host name.
    const bool need_all_keys =
        !pod_.spec.topology_spread_constraints.empty() || profile_.spread.defaulting_type == "List";
    for (const api::Node* node : feasible) {
      if (need_all_keys && !HasAllKeys(*node, soft_)) ignored_.insert(node->metadata.name);
    }
    for (const Constraint& constraint : soft_) {
      CountDomains(constraint, feasible, need_all_keys);
    }
    return {};
  }

  int64_t Score(const api::Node& node) const override {
    if (ignored_.contains(node.metadata.name)) return 0;
    double score = 0;
    for (size_t i = 0; i < soft_.size(); ++i) {
      const std::string* domain = Find(node.metadata.labels, soft_[i].key());
      if (domain == nullptr) continue;
      const int64_t count = soft_[i].key() == kHostname ? CountOn(node, soft_[i].selector)
                                                        : scored_[i].pods.at(*domain);
      score += static_cast<double>(count) * scored_[i].weight +
               static_cast<double>(int64_t{soft_[i].spec.max_skew} - 1);
    }
    return std::llround(score);
  }

  void Normalize(Scores& scores) const override {
    int64_t lowest = std::numeric_limits<int64_t>::max();
    int64_t highest = 0;
    for (const auto& [node, score] : scores) {
      if (ignored_.contains(node)) continue;
      lowest = std::min(lowest, score);
      highest = std::max(highest, score);
    }
    for (auto& [node, score] : scores) {
      if (ignored_.contains(node)) {
        score = 0;
      } else if (highest == 0) {
        score = 100;
      } else {
        score = std::clamp<int64_t>(100 * (highest + lowest - score) / highest, 0, 100);
      }
    }
  }

 private:
  // The domains of one soft constraint.
  struct Domains {
    std::map<std::string, int64_t> pods;
    double weight = 0;
  };

  // Returns the pod's own constraints of one kind, or the profile's if it has none of any kind.
  Result<std::vector<Constraint>> ConstraintsOfPod(std::string_view when_unsatisfiable) const {
    const bool own = !pod_.spec.topology_spread_constraints.empty();
    std::vector<api::TopologySpreadConstraint> specs = pod_.spec.topology_spread_constraints;
    if (!own) {
      specs = profile_.spread.defaulting_type == "List" ? profile_.spread.default_constraints
                                                        : SystemDefaults();
    }
    std::vector<Constraint> constraints;
    for (const api::TopologySpreadConstraint& spec : specs) {
      if (spec.when_unsatisfiable != when_unsatisfiable) continue;
      auto selector = SelectorOf(spec, pod_, profile_.features);
      if (!selector) return std::unexpected(std::move(selector.error()));
      constraints.push_back({spec, *std::move(selector)});
    }
    if (own || constraints.empty()) return constraints;

    const api::Selector replicas = OwnerSelector(snapshot_, pod_);
    if (replicas.empty()) return std::vector<Constraint>{};
    for (Constraint& constraint : constraints) constraint.selector = replicas;
    return constraints;
  }

  static bool HasAllKeys(const api::Node& node, const std::vector<Constraint>& constraints) {
    return std::ranges::all_of(
        constraints, [&](const Constraint& c) { return node.metadata.labels.contains(c.key()); });
  }

  // Reports whether the node's pods count for the constraint.
  bool Includes(const Constraint& constraint, const api::Node& node) const {
    const bool by_affinity = constraint.spec.node_affinity_policy.value_or("Honor") == "Honor";
    const bool by_taints = constraint.spec.node_taints_policy.value_or("Ignore") == "Honor";
    if (by_affinity && !MatchesNodeAffinity(node, pod_)) return false;
    return !by_taints || !HasUntoleratedTaint(node, pod_, profile_.features);
  }

  // Counts matching pods. Terminating pods do not count, and none count for an empty selector.
  int64_t CountOn(const api::Node& node, const api::Selector& selector) const {
    if (selector.empty()) return 0;
    int64_t count = 0;
    for (const auto& [key, pod] : snapshot_.PodsOn(node.metadata.name)) {
      if (key.namespace_ != pod_.metadata.namespace_ || pod->metadata.deletion_timestamp) continue;
      if (selector.Matches(pod->metadata.labels)) ++count;
    }
    return count;
  }

  // Applies the node state's changes to the counts. Unlike CountOn, this includes terminating pods
  // and pods matched by an empty selector, as kube-scheduler does.
  void Apply(const NodeState& node_state, const Constraint& constraint,
             std::map<std::string, int64_t>& pods) const {
    if (!HasAllKeys(node_state.node(), hard_) || !Includes(constraint, node_state.node())) return;
    for (const auto& [pod, by] : node_state.changes()) {
      if (pod->metadata.namespace_ != pod_.metadata.namespace_) continue;
      if (!constraint.selector.Matches(pod->metadata.labels)) continue;
      pods[node_state.labels().at(constraint.key())] += by;
    }
  }

  // Returns the lowest count of any domain; 0 if there are fewer than minDomains.
  static int64_t MinMatch(const Constraint& constraint,
                          const std::map<std::string, int64_t>& pods) {
    if (static_cast<int64_t>(pods.size()) < constraint.spec.min_domains.value_or(1)) return 0;
    int64_t lowest = std::numeric_limits<int32_t>::max();
    for (const auto& [domain, count] : pods) lowest = std::min(lowest, count);
    return lowest;
  }

  void CountDomains(const Constraint& constraint, const std::vector<const api::Node*>& feasible,
                    bool need_all_keys) {
    const bool by_host = constraint.key() == kHostname;
    Domains domains;
    for (const api::Node* node : feasible) {
      if (by_host || ignored_.contains(node->metadata.name)) continue;
      domains.pods[DomainOf(*node, constraint)];
    }
    for (const auto& [key, node] : snapshot_.nodes) {
      if (need_all_keys && !HasAllKeys(*node, soft_)) continue;
      if (!Includes(constraint, *node)) continue;
      const auto domain = domains.pods.find(DomainOf(*node, constraint));
      if (domain != domains.pods.end()) domain->second += CountOn(*node, constraint.selector);
    }
    const size_t size = by_host ? feasible.size() - ignored_.size() : domains.pods.size();
    domains.weight = std::log(static_cast<double>(size + 2));
    scored_.push_back(std::move(domains));
  }

  // Returns "" for a node without the label.
  static std::string DomainOf(const api::Node& node, const Constraint& constraint) {
    const std::string* value = Find(node.metadata.labels, constraint.key());
    return value == nullptr ? "" : *value;
  }

  std::vector<Constraint> hard_;
  std::vector<std::map<std::string, int64_t>> pods_in_;  // By domain, for each of hard_.
  std::vector<Constraint> soft_;
  std::vector<Domains> scored_;    // One for each of soft_.
  std::set<std::string> ignored_;  // Nodes without all the keys of soft_.
};

}  // namespace

std::unique_ptr<Rule> MakePodTopologySpread(const EvaluationInput& input) {
  return std::make_unique<PodTopologySpread>(input);
}

}  // namespace berth::scheduler::reference
