#include "scheduler/plugins/pod_topology_spread/constraints.h"

#include <algorithm>
#include <cmath>

#include "api/selector.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/plugins/pod_topology_spread/default_selector.h"

namespace berth::scheduler::plugins {

double SpreadRule::WeightFor(size_t domains) { return std::log(static_cast<double>(domains + 2)); }

int64_t NormalizedSpread(int64_t score, int64_t lowest, int64_t highest) {
  if (highest == 0) return 100;
  return std::clamp<int64_t>(100 * (highest + lowest - score) / highest, 0, 100);
}
namespace {

std::vector<api::TopologySpreadConstraint> SystemDefaults() {
  std::vector<api::TopologySpreadConstraint> defaults(2);
  defaults[0].max_skew = 3;
  defaults[0].topology_key = "kubernetes.io/hostname";
  defaults[1].max_skew = 5;
  defaults[1].topology_key = "topology.kubernetes.io/zone";
  for (auto& constraint : defaults) constraint.when_unsatisfiable = "ScheduleAnyway";
  return defaults;
}

// A key that distinguishes the owners of pods with equal labels.
std::string OwnerKey(const api::ObjectMeta& meta) {
  for (const api::OwnerReference& owner : meta.owner_references) {
    if (owner.controller.value_or(false))
      return owner.api_version + "/" + owner.kind + "/" + owner.name;
  }
  return {};
}

}  // namespace

SpreadConstraints::SpreadConstraints(const framework::PodTopologySpreadArgs& args,
                                     model::Cluster& cluster, const model::PodClass& pod_class)
    : cluster_(cluster),
      pod_class_(pod_class),
      symbols_(cluster.mutable_symbols()),
      affinity_(pod_class.spec(), symbols_),
      are_defaults_(pod_class.spec().topology_spread_constraints.empty()) {
  const bool system = args.defaulting_type == "System";
  requires_all_keys_ = !are_defaults_ || !system;
  if (!are_defaults_) {
    for (const auto& constraint : pod_class.spec().topology_spread_constraints) AddRule(constraint);
  } else if (system) {
    for (const auto& constraint : SystemDefaults()) AddRule(constraint);
  } else {
    for (const auto& constraint : args.default_constraints) AddRule(constraint);
  }
  hard_nodes_.resize(hard_.size());
  soft_nodes_.resize(soft_.size());
}

void SpreadConstraints::AddRule(const api::TopologySpreadConstraint& constraint) {
  SpreadRule rule;
  rule.key = cluster_.UseTopologyKey(constraint.topology_key);
  rule.is_hostname = constraint.topology_key == "kubernetes.io/hostname";
  rule.max_skew = constraint.max_skew;
  rule.min_domains = constraint.min_domains.value_or(1);
  rule.honor_affinity = constraint.node_affinity_policy.value_or("Honor") == "Honor";
  rule.honor_taints = constraint.node_taints_policy.value_or("Ignore") == "Honor";
  rule.source = constraint;
  // The selector of a default constraint is that of the pod's owners, whatever the keys.
  if (are_defaults_ || !cluster_.features().match_label_keys_in_pod_topology_spread)
    rule.source.match_label_keys.clear();
  (constraint.when_unsatisfiable == "DoNotSchedule" ? hard_ : soft_).push_back(std::move(rule));
}

const SpreadConstraints::Counts* SpreadConstraints::CountsFor(const model::PodRecord& pod) {
  if (hard_.empty() && soft_.empty()) return nullptr;
  const uint64_t serial = cluster_.pod_labels().serial(pod.labels);
  const uint64_t version = are_defaults_ ? DefaultSelectorVersion(cluster_) : 0;
  std::string owner = are_defaults_ ? OwnerKey(pod.object->metadata) : std::string();
  if (counts_.size() > 256) counts_.clear();
  CachedCounts& cached = counts_[pod.labels];
  if (cached.labels_serial != serial || cached.selector_version != version ||
      cached.owner != owner) {
    cached = {serial, version, std::move(owner), MakeCounts(pod)};
  }
  return cached.counts.get();
}

std::unique_ptr<SpreadConstraints::Counts> SpreadConstraints::MakeCounts(
    const model::PodRecord& pod) const {
  api::Selector defaults;
  if (are_defaults_) {
    defaults = DefaultSelector(cluster_, *pod.object);
    if (defaults.empty()) return nullptr;
  }
  auto counts = std::make_unique<Counts>(Counts{SymbolHolder(cluster_.mutable_symbols())});
  const api::Selector* selector = are_defaults_ ? &defaults : nullptr;
  auto make = [&](const SpreadRule& rule) {
    return MakeCount(rule, pod, selector, counts->symbols);
  };
  for (const SpreadRule& rule : hard_) counts->hard.push_back(make(rule));
  for (const SpreadRule& rule : soft_) counts->soft.push_back(make(rule));
  return counts;
}

SpreadCount SpreadConstraints::MakeCount(const SpreadRule& rule, const model::PodRecord& pod,
                                         const api::Selector* defaults,
                                         SymbolHolder& symbols) const {
  api::Selector selector = api::Selector::Nothing();
  if (defaults != nullptr) {
    selector = *defaults;
  } else if (auto own = api::Selector::FromLabelSelector(rule.source.label_selector)) {
    selector = *std::move(own);
  }
  const api::StringMap& labels = pod.object->metadata.labels;
  for (const std::string& key : rule.source.match_label_keys) {
    auto found = labels.find(key);
    if (found == labels.end() || selector.nothing()) continue;
    if (auto equal = api::Requirement::Make(key, api::SelectorOp::kIn, {found->second})) {
      selector.Add(*std::move(equal));
    }
  }
  model::LabelMatcher matcher(selector, symbols);
  SpreadCount count{nullptr, matcher, selector.Matches(labels)};
  // An empty selector counts only the pod itself.
  if (!selector.empty()) {
    const model::PodQuery query{
        {model::PodMatcher(symbols.Intern(pod.object->metadata.namespace_), matcher)},
        /*incoming=*/false,
        /*count_terminating=*/false};
    count.counter = cluster_.CountPods(query, std::span(&rule.key, 1));
  }
  return count;
}

bool SpreadConstraints::Tolerates(const model::TaintSets& sets, model::TaintSetId id) {
  if (tolerances_.size() < sets.capacity()) tolerances_.resize(sets.capacity());
  Tolerance& known = tolerances_[id.index()];
  if (known.serial != sets.serial(id)) {
    known.serial = sets.serial(id);
    const auto& tolerations = pod_class_.spec().tolerations;
    const bool compares = cluster_.features().taint_toleration_comparison_operators;
    known.tolerated = std::ranges::all_of(sets.Get(id), [&](const api::Taint& taint) {
      const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
      return !hard || api::ToleratesAny(tolerations, taint, compares);
    });
  }
  return known.tolerated;
}

bool SpreadConstraints::Includes(const framework::Cycle& cycle, const SpreadRule& rule,
                                 size_t row) {
  const model::NodeTable& nodes = cycle.nodes();
  const model::NodeInfo& info = nodes.info(model::NodeRow{static_cast<uint32_t>(row)});
  if (rule.honor_affinity && !affinity_.Matches(info, cycle.cluster().symbols())) return false;
  return !rule.honor_taints || Tolerates(nodes.taint_sets(), nodes.columns().taints[row]);
}

namespace {

bool HasAllKeys(const std::vector<SpreadRule>& rules, size_t row) {
  return std::ranges::all_of(
      rules, [&](const SpreadRule& rule) { return rule.key->domain_of()[row].valid(); });
}

}  // namespace

bool SpreadConstraints::EveryNodeCounts(const framework::Cycle& cycle, const SpreadRule& rule,
                                        const std::vector<SpreadRule>& keys) const {
  if (rule.honor_taints || (rule.honor_affinity && !affinity_.empty())) return false;
  return std::ranges::all_of(keys, [&](const SpreadRule& other) {
    return other.key->node_count() == cycle.nodes().present_count();
  });
}

const model::NodeMask& SpreadConstraints::HardNodes(const framework::Cycle& cycle, size_t i) {
  if (EveryNodeCounts(cycle, hard_[i], hard_)) return cycle.nodes().present();
  return hard_nodes_[i].Refresh(cycle.nodes(), [&](size_t row) {
    return HasAllKeys(hard_, row) && Includes(cycle, hard_[i], row);
  });
}

const model::NodeMask& SpreadConstraints::SoftNodes(const framework::Cycle& cycle, size_t i) {
  static const std::vector<SpreadRule> kNone;
  if (EveryNodeCounts(cycle, soft_[i], requires_all_keys_ ? soft_ : kNone))
    return cycle.nodes().present();
  return soft_nodes_[i].Refresh(cycle.nodes(), [&](size_t row) {
    return (!requires_all_keys_ || HasAllKeys(soft_, row)) && Includes(cycle, soft_[i], row);
  });
}

}  // namespace berth::scheduler::plugins
