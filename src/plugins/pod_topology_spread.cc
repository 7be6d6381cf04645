#include "plugins/pod_topology_spread.h"

#include <algorithm>

#include "framework/row_loops.h"
#include "plugins/spread_constraints.h"
#include "plugins/spread_filter_state.h"
#include "plugins/spread_score_state.h"

namespace berth {
namespace {

// The highest count a domain may have so that one more pod there is within the constraint.
int64_t HighestAllowed(const SpreadRule& rule, const SpreadCount& count, const DomainTally& tally) {
  const int64_t lowest =
      static_cast<int64_t>(tally.domains()) < rule.min_domains ? 0 : tally.lowest();
  return rule.max_skew + lowest - (count.counts_itself ? 1 : 0);
}

// The lower the score, the better.
int64_t Normalized(int64_t score, int64_t lowest, int64_t highest) {
  return highest == 0 ? 100 : 100 * (highest + lowest - score) / highest;
}

}  // namespace

Result<std::unique_ptr<Plugin>> PodTopologySpread::Make(const PodTopologySpreadArgs& args) {
  return std::unique_ptr<Plugin>(new PodTopologySpread(args));
}

std::unique_ptr<const ClassState> PodTopologySpread::Compile(Cluster& cluster,
                                                             const PodClass& pod_class) const {
  return std::make_unique<SpreadConstraints>(args_, cluster, pod_class);
}

PreFilterResult PodTopologySpread::PreFilter(Cycle& cycle) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  if (constraints.hard().empty()) return {Verdict::Skip(), {}};
  const auto* counts = constraints.CountsFor(cycle.pod());
  if (counts == nullptr) return {Verdict::Skip(), {}};
  auto state = std::make_unique<SpreadFilterState>();
  state->counts = counts;
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    state->tallies.emplace_back(cycle, constraints.hard()[i], counts->hard[i],
                                constraints.HardNodes(cycle, i));
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

void PodTopologySpread::PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow node) const {
  Adjust(cycle, pod, node, +1);
}

void PodTopologySpread::PodRemoved(Cycle& cycle, const PodRecord& pod, NodeRow node) const {
  Adjust(cycle, pod, node, -1);
}

// As upstream, this looks neither at whether the pod is terminating nor at whether the selector is
// empty.
void PodTopologySpread::Adjust(Cycle& cycle, const PodRecord& pod, NodeRow node,
                               int32_t delta) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  auto& state = cycle.state<SpreadFilterState>(*this);
  if (pod.object->metadata.namespace_ != cycle.pod().object->metadata.namespace_) return;
  const Labels& labels = cycle.cluster().labels_of(pod);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    if (!state.counts->hard[i].selector.Matches(labels, cycle.cluster().symbols())) continue;
    if (!constraints.HardNodes(cycle, i).Test(node.index())) continue;
    const Topology::Key& key = cycle.nodes().topology().key(constraints.hard()[i].key);
    state.tallies[i].Adjust(key.domain_of[node.index()], delta);
  }
}

Verdict PodTopologySpread::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  const auto& state = cycle.state<SpreadFilterState>(*this);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const DomainTally& tally = state.tallies[i];
    const int64_t allowed = HighestAllowed(constraints.hard()[i], state.counts->hard[i], tally);
    const Topology::Key& key = cycle.nodes().topology().key(constraints.hard()[i].key);
    DomainTable fits(key.domains.size());
    for (uint32_t d = 0; d < fits.domains(); ++d) fits[d] = tally.In(DomainId{d}) <= allowed;
    KeepDomains(nodes, key.domain_of, fits);
  }
  return {};
}

Verdict PodTopologySpread::Explain(const Cycle& cycle, NodeRow node) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  const auto& state = cycle.state<SpreadFilterState>(*this);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const SpreadRule& rule = constraints.hard()[i];
    const DomainId domain = cycle.nodes().topology().key(rule.key).domain_of[node.index()];
    if (!domain.valid()) {
      return {Code::kUnschedulableAndUnresolvable,
              "node(s) didn't match pod topology spread constraints (missing required label)"};
    }
    if (state.tallies[i].In(domain) >
        HighestAllowed(rule, state.counts->hard[i], state.tallies[i])) {
      return {Code::kUnschedulable, "node(s) didn't match pod topology spread constraints"};
    }
  }
  return {};
}

Verdict PodTopologySpread::PreScore(Cycle& cycle, const NodeMask& feasible) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  if (constraints.soft().empty()) return Verdict::Skip();
  const auto* counts = constraints.CountsFor(cycle.pod());
  if (counts == nullptr) return Verdict::Skip();
  cycle.SetState(*this, std::make_unique<SpreadScoreState>(cycle, constraints, *counts, feasible));
  return {};
}

Verdict PodTopologySpread::Score(const Cycle& cycle, const NodeMask& nodes,
                                 std::span<int64_t> out) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  nodes.ForEach([&](size_t row) { out[row] = state.ignored.Test(row) ? 0 : state.ScoreOf(row); });
  return {};
}

bool PodTopologySpread::AddScores(const Cycle& cycle, int32_t weight, std::span<int32_t> totals,
                                  std::span<int32_t> scratch) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  if (!state.ScoreAll(cycle, scratch)) return false;
  const ValueRange range = RangeOf(scratch, totals);
  if (range.lowest > range.highest) return true;  // No node is feasible.
  constexpr int64_t kMaxDifferent = 4096;         // Beyond that the table does not pay.
  if (int64_t{range.highest} - range.lowest >= kMaxDifferent) return false;
  const int64_t highest = std::max(range.highest, 0);
  std::vector<int32_t> given;
  for (int64_t score = range.lowest; score <= range.highest; ++score)
    given.push_back(static_cast<int32_t>(Normalized(score, range.lowest, highest)) * weight);
  AddByValue(scratch, range.lowest, given, totals);
  return true;
}

void PodTopologySpread::Normalize(const Cycle& cycle, const NodeMask& feasible,
                                  std::span<int64_t> scores) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  int64_t lowest = INT64_MAX, highest = 0;
  feasible.ForEach([&](size_t row) {
    if (state.ignored.Test(row)) return;
    lowest = std::min(lowest, scores[row]);
    highest = std::max(highest, scores[row]);
  });
  feasible.ForEach([&](size_t row) {
    scores[row] = state.ignored.Test(row) ? 0 : Normalized(scores[row], lowest, highest);
  });
}

}  // namespace berth
