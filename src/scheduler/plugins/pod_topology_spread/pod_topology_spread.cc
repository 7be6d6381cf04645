#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"
#include "scheduler/plugins/pod_topology_spread/constraints.h"
#include "scheduler/plugins/pod_topology_spread/cycle_state.h"
#include "scheduler/plugins/pod_topology_spread/default_selector.h"
#include "scheduler/plugins/pod_topology_spread/spread_domain_score.h"

namespace berth::scheduler::plugins {
namespace {

// Returns the highest count a domain may have so that one more pod there satisfies the constraint.
int64_t HighestAllowed(const SpreadRule& rule, const SpreadCount& count, const DomainTally& tally) {
  const int64_t lowest =
      static_cast<int64_t>(tally.domains()) < rule.min_domains ? 0 : tally.lowest();
  return rule.max_skew + lowest - (count.counts_itself ? 1 : 0);
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> PodTopologySpread::Make(
    const framework::PodTopologySpreadArgs& args) {
  return std::unique_ptr<framework::Plugin>(new PodTopologySpread(args));
}

std::unique_ptr<framework::ClassState> PodTopologySpread::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  return std::make_unique<SpreadConstraints>(args_, cluster, pod_class);
}

framework::PreFilterResult PodTopologySpread::PreFilter(framework::Cycle& cycle) const {
  auto& constraints = cycle.class_cache<SpreadConstraints>(*this);
  if (constraints.hard().empty()) return {framework::Verdict::Skip(), {}};
  const auto* counts = constraints.CountsFor(cycle.pod());
  if (counts == nullptr) return {framework::Verdict::Skip(), {}};
  auto state = std::make_unique<SpreadFilterState>();
  state->counts = counts;
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    state->tallies.emplace_back(cycle, constraints.hard()[i], counts->hard[i],
                                constraints.HardNodes(cycle, i));
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

void PodTopologySpread::PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                                 model::NodeRow node) const {
  Adjust(cycle, pod, node, +1);
}

void PodTopologySpread::PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                                   model::NodeRow node) const {
  Adjust(cycle, pod, node, -1);
}

// As upstream, this ignores whether the pod is terminating and whether the selector is empty.
void PodTopologySpread::Adjust(framework::Cycle& cycle, const model::PodRecord& pod,
                               model::NodeRow node, int32_t delta) const {
  auto& constraints = cycle.class_cache<SpreadConstraints>(*this);
  auto& state = cycle.state<SpreadFilterState>(*this);
  if (pod.object->metadata.namespace_ != cycle.pod().object->metadata.namespace_) return;
  const model::Labels& labels = cycle.cluster().labels_of(pod);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    if (!state.counts->hard[i].selector.Matches(labels, cycle.cluster().symbols())) continue;
    if (!constraints.HardNodes(cycle, i).Test(node.index())) continue;
    const model::Topology::Key& key = *constraints.hard()[i].key;
    state.tallies[i].Adjust(key.domain_of()[node.index()], delta);
  }
}

framework::Conditions PodTopologySpread::Require(const framework::Cycle& cycle) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  const auto& state = cycle.state<SpreadFilterState>(*this);
  framework::Conditions conditions;
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const SpreadRule& rule = constraints.hard()[i];
    const DomainTally& tally = state.tallies[i];
    framework::DomainCount count(rule.key, tally.counts());
    count.highest = static_cast<int32_t>(std::clamp<int64_t>(
        HighestAllowed(rule, state.counts->hard[i], tally), INT32_MIN, INT32_MAX));
    count.follows_lowest = true;
    count.rejection = {framework::Code::kUnschedulable,
                       "node(s) didn't match pod topology spread constraints"};
    count.missing = {
        framework::Code::kUnschedulableAndUnresolvable,
        "node(s) didn't match pod topology spread constraints (missing required label)"};
    conditions.push_back(count);
  }
  return conditions;
}

framework::Verdict PodTopologySpread::PreScore(framework::Cycle& cycle,
                                               const model::NodeMask& feasible) const {
  auto& constraints = cycle.class_cache<SpreadConstraints>(*this);
  if (constraints.soft().empty()) return framework::Verdict::Skip();
  const auto* counts = constraints.CountsFor(cycle.pod());
  if (counts == nullptr) return framework::Verdict::Skip();
  cycle.SetState(*this, std::make_unique<SpreadScoreState>(cycle, constraints, *counts, feasible));
  return {};
}

framework::Verdict PodTopologySpread::Score(const framework::Cycle& cycle,
                                            const model::NodeMask& nodes,
                                            std::span<int64_t> out) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  nodes.ForEach([&](size_t row) { out[row] = state.ignored.Test(row) ? 0 : state.ScoreOf(row); });
  return {};
}

framework::Described PodTopologySpread::DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                                      framework::SearchRules& rules) const {
  auto& constraints = cycle.class_cache<SpreadConstraints>(*this);
  if (constraints.soft().empty()) return framework::Described::kSkip;
  const auto* counts = constraints.CountsFor(cycle.pod());
  if (counts == nullptr) return framework::Described::kSkip;
  if (auto by_domain = SpreadDomainScore::Make(cycle, constraints, *counts, rules))
    rules.domain_scores.push_back({std::move(by_domain), weight});
  return framework::Described::kByFeasibleNodes;
}

bool PodTopologySpread::AddScores(const framework::Cycle& cycle, int32_t weight,
                                  std::span<int32_t> totals, std::span<int32_t> scratch) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  if (!state.ScoreAll(cycle, scratch)) return false;
  const framework::ValueRange range = framework::RangeOf(scratch, totals);
  if (range.lowest > range.highest) return true;  // No node is feasible.
  constexpr int64_t kMaxDifferent = 4096;         // Beyond that the table does not pay.
  if (int64_t{range.highest} - range.lowest >= kMaxDifferent) return false;
  const int64_t highest = std::max(range.highest, 0);
  std::vector<int32_t> given;
  for (int64_t score = range.lowest; score <= range.highest; ++score)
    given.push_back(static_cast<int32_t>(NormalizedSpread(score, range.lowest, highest)) * weight);
  framework::AddByValue(scratch, range.lowest, given, totals);
  return true;
}

void PodTopologySpread::Normalize(const framework::Cycle& cycle, const model::NodeMask& feasible,
                                  std::span<int64_t> scores) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  int64_t lowest = INT64_MAX, highest = 0;
  feasible.ForEach([&](size_t row) {
    if (state.ignored.Test(row)) return;
    lowest = std::min(lowest, scores[row]);
    highest = std::max(highest, scores[row]);
  });
  feasible.ForEach([&](size_t row) {
    scores[row] = state.ignored.Test(row) ? 0 : NormalizedSpread(scores[row], lowest, highest);
  });
}

// --- explanations ---

namespace {

// One constraint, and the counts of its domains.
struct Standing {
  const framework::Cycle& cycle;
  const SpreadRule& rule;
  const SpreadCount& count;
  const DomainTally& tally;
  const model::NodeMask& nodes;  // Those that count.

  const model::Topology::Key& key() const { return *rule.key; }
  bool too_few_domains() const { return static_cast<int64_t>(tally.domains()) < rule.min_domains; }
  int64_t lowest() const { return too_few_domains() ? 0 : tally.lowest(); }
  int64_t CountWithPod(model::DomainId domain) const {
    return tally.In(domain) + (count.counts_itself ? 1 : 0);
  }
  std::string Name(model::DomainId domain) const {
    return FormatDomain(rule.source.topology_key,
                        cycle.cluster().symbols().Text(key().domains()[domain.index()].value));
  }

  // "3 pods with app=web"; the selector of a default constraint is not the user's, so it is left
  // out.
  std::string Pods(int64_t number) const {
    if (!rule.source.label_selector) return FormatCount(number, "matching pod");
    return fmt::format("{} with {}", FormatCount(number, "pod"),
                       FormatSelector(rule.source.label_selector));
  }

  // Returns a domain with the fewest pods, the first by row; invalid if there is none with the
  // recorded minimum.
  model::DomainId Emptiest() const {
    model::DomainId found;
    nodes.ForEach([&](size_t row) {
      const model::DomainId domain = key().domain_of()[row];
      if (!found.valid() && domain.valid() && tally.In(domain) == tally.lowest()) found = domain;
    });
    return found;
  }

  std::string Sentence(model::DomainId domain) const {
    const int64_t number = CountWithPod(domain);
    std::string text =
        count.counts_itself
            ? fmt::format("with this pod, {} would have {}", Name(domain), Pods(number))
            : fmt::format("{} already has {}", Name(domain), Pods(number));
    if (too_few_domains()) {
      return text + fmt::format(
                        "; there are {}, fewer than minDomains {}, so that 0 counts as the fewest; "
                        "maxSkew is {}",
                        FormatCount(static_cast<int64_t>(tally.domains()), "domain"),
                        rule.min_domains, rule.max_skew);
    }
    text += fmt::format(", {} more than ", number - lowest());
    const model::DomainId emptiest = Emptiest();
    text += emptiest.valid() ? fmt::format("{} with {}", Name(emptiest), lowest())
                             : fmt::format("the fewest in any domain, {}", lowest());
    return text + fmt::format("; maxSkew is {}", rule.max_skew);
  }
};

}  // namespace

std::string PodTopologySpread::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  auto& constraints = cycle.class_cache<SpreadConstraints>(*this);
  const auto& state = cycle.state<SpreadFilterState>(*this);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const Standing standing{cycle, constraints.hard()[i], state.counts->hard[i], state.tallies[i],
                            constraints.HardNodes(cycle, i)};
    const model::DomainId domain = standing.key().domain_of()[node.index()];
    if (!domain.valid()) {
      return fmt::format("the node has no label {}, over which the pods are spread",
                         standing.rule.source.topology_key);
    }
    if (standing.CountWithPod(domain) - standing.lowest() > standing.rule.max_skew) {
      return standing.Sentence(domain);
    }
  }
  return "";
}

// --- queueing hints ---

namespace {

// A hard constraint and its selector.
struct HintConstraint {
  const api::TopologySpreadConstraint* source;
  api::Selector selector;
};

using HintConstraints = std::vector<HintConstraint>;

bool IsHard(const api::TopologySpreadConstraint& constraint) {
  return constraint.when_unsatisfiable == "DoNotSchedule";
}

Result<api::Selector> SelectorOf(const api::TopologySpreadConstraint& constraint,
                                 const api::StringMap& labels, const model::Features& features) {
  auto selector = api::Selector::FromLabelSelector(constraint.label_selector);
  if (!selector || selector->nothing() || !features.match_label_keys_in_pod_topology_spread)
    return selector;
  for (const std::string& key : constraint.match_label_keys) {
    const auto found = labels.find(key);
    if (found == labels.end()) continue;
    auto equal = api::Requirement::Make(key, api::SelectorOp::kIn, {found->second});
    if (!equal) return std::unexpected(equal.error());
    selector->Add(*std::move(equal));
  }
  return selector;
}

// Returns the hard constraints of the pod itself, or the default ones if it has no constraints at
// all. The system's defaults are soft.
Result<HintConstraints> HardConstraintsOf(const api::Pod& pod,
                                          const framework::PodTopologySpreadArgs& args,
                                          const model::Cluster& cluster) {
  HintConstraints hard;
  const auto& own = pod.spec.topology_spread_constraints;
  for (const api::TopologySpreadConstraint& constraint : own) {
    if (!IsHard(constraint)) continue;
    auto selector = SelectorOf(constraint, pod.metadata.labels, cluster.features());
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

// Reports whether `other` is, or may be, among the pods that are counted for `pod`.
bool IsInvolved(const model::PodRecord& pod, const api::Pod& other) {
  return IsSamePod(pod, other) ||
         (UsesCapacity(other) && other.metadata.namespace_ == pod.object->metadata.namespace_);
}

bool HonorsTaints(const HintConstraint& constraint) {
  return constraint.source->node_taints_policy == "Honor";
}

bool HintForPod(const model::PodRecord& pod, const HintConstraints& hard,
                const Change<api::Pod>& other) {
  auto counts = [](const HintConstraint& constraint, const api::Pod& version) {
    return constraint.selector.Matches(version.metadata.labels);
  };
  if (other.before == nullptr || other.after == nullptr) {
    const api::Pod& only = other.before == nullptr ? *other.after : *other.before;
    return std::ranges::any_of(hard, [&](const HintConstraint& c) { return counts(c, only); });
  }
  if (IsSamePod(pod, *other.after) &&
      other.before->spec.tolerations != other.after->spec.tolerations &&
      std::ranges::any_of(hard, HonorsTaints)) {
    return true;
  }
  return std::ranges::any_of(hard, [&](const HintConstraint& c) {
    return counts(c, *other.before) != counts(c, *other.after);
  });
}

bool HasAllKeys(const HintConstraints& hard, const api::Node& node) {
  return std::ranges::all_of(hard, [&](const HintConstraint& constraint) {
    return node.metadata.labels.contains(constraint.source->topology_key);
  });
}

// Both versions of the node have all keys.
bool DomainChanged(const HintConstraints& hard, const api::Node& before, const api::Node& after) {
  return std::ranges::any_of(hard, [&](const HintConstraint& constraint) {
    const std::string& key = constraint.source->topology_key;
    return before.metadata.labels.find(key)->second != after.metadata.labels.find(key)->second;
  });
}

bool HintForNode(const HintConstraints& hard, const Change<api::Node>& node) {
  const bool counted = node.before != nullptr && HasAllKeys(hard, *node.before);
  const bool counts = node.after != nullptr && HasAllKeys(hard, *node.after);
  if (counted != counts) return true;
  // It counts before and after, or neither.
  return counts && (DomainChanged(hard, *node.before, *node.after) ||
                    node.before->spec.taints != node.after->spec.taints);
}

}  // namespace

std::vector<framework::ClusterEventWithHint> PodTopologySpread::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kAdd | framework::kUpdatePodLabel |
                                           framework::kUpdatePodToleration | framework::kDelete}},
          {{framework::Resource::kNode, framework::kAdd | framework::kDelete |
                                            framework::kUpdateNodeLabel |
                                            framework::kUpdateNodeTaint}}};
}

Result<bool> PodTopologySpread::QueueingHint(const model::Cluster& cluster,
                                             const model::PodRecord& pod,
                                             const framework::ClusterEvent& event) const {
  const auto hard = HardConstraintsOf(*pod.object, args_, cluster);
  if (!hard) return std::unexpected(hard.error());
  if (KindOf(event) == framework::Resource::kNode) {
    const auto node = ChangeOf<api::Node>(event);
    if (!node) return std::unexpected(node.error());
    return HintForNode(*hard, *node);
  }
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  for (const api::Pod* version : {other->before, other->after}) {
    if (version != nullptr && !IsInvolved(pod, *version)) return false;
  }
  return HintForPod(pod, *hard, *other);
}

}  // namespace berth::scheduler::plugins
