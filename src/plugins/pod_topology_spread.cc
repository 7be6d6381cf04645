#include "plugins/pod_topology_spread.h"

#include <algorithm>
#include <cmath>

#include "plugins/spread_constraints.h"
#include "plugins/spread_filter_state.h"

namespace berth {
namespace {

// The highest count a domain may have so that one more pod there is within the constraint.
int64_t HighestAllowed(const SpreadRule& rule, const SpreadCount& count, const DomainTally& tally) {
  const int64_t lowest =
      static_cast<int64_t>(tally.domains()) < rule.min_domains ? 0 : tally.lowest();
  return rule.max_skew + lowest - (count.counts_itself ? 1 : 0);
}

// What PreScore notes: the pods that each feasible node's score counts, constraint by constraint.
struct SpreadScoreState final : CycleState {
  struct Constraint {
    const SpreadRule* rule;
    const PodCounter* counter;  // Null if nobody is counted.
    const std::vector<DomainId>* domain_of;
    std::vector<int64_t> per_domain;  // Unused for host names: there the node's own pods count.
    double weight = 0;
  };
  std::vector<Constraint> constraints;
  NodeMask ignored;  // Feasible nodes that lack a key.
  std::unique_ptr<CycleState> Clone() const override {
    return std::make_unique<SpreadScoreState>(*this);
  }
};

// Scores nodes by their pods and those of their domains.
//
// Most often there is one constraint on hosts and one on zones. Few different scores come up then:
// each is worked out once per zone and number of pods on the host.
class NodeScorer {
 public:
  explicit NodeScorer(const SpreadScoreState& state) : constraints_(state.constraints) {
    for (const Constraint& constraint : constraints_) {
      (constraint.rule->is_hostname ? host_ : wide_) = &constraint;
    }
    if (constraints_.size() != 2 || host_ == nullptr || wide_ == nullptr) return;
    if (wide_->per_domain.size() > kMaxDomains) return;
    known_.assign((wide_->per_domain.size() + 1) * kMaxPods, kUnknown);
  }

  int64_t ScoreOf(size_t row) {
    if (known_.empty()) return std::llround(SumOf(row));
    const int64_t pods = CountOf(*host_, row) + 1;  // No domain counts -1.
    if (pods >= kMaxPods) return std::llround(SumOf(row));
    const DomainId domain = (*wide_->domain_of)[row];
    const size_t place = domain.valid() ? domain.index() : wide_->per_domain.size();
    int64_t& score = known_[place * kMaxPods + static_cast<size_t>(pods)];
    if (score == kUnknown) score = std::llround(SumOf(row));
    return score;
  }

 private:
  using Constraint = SpreadScoreState::Constraint;
  static constexpr int64_t kNoDomain = -1;
  static constexpr int64_t kUnknown = INT64_MIN;
  static constexpr size_t kMaxDomains = 64;
  static constexpr int64_t kMaxPods = 64;

  // The pods that count for the node, or kNoDomain.
  static int64_t CountOf(const Constraint& constraint, size_t row) {
    const DomainId domain = (*constraint.domain_of)[row];
    if (!domain.valid()) return kNoDomain;
    if (!constraint.rule->is_hostname) return constraint.per_domain[domain.index()];
    return constraint.counter != nullptr ? constraint.counter->OnNode(row) : 0;
  }

  double SumOf(size_t row) const {
    double score = 0;
    for (const Constraint& constraint : constraints_) {
      const int64_t count = CountOf(constraint, row);
      if (count == kNoDomain) continue;
      score += static_cast<double>(count) * constraint.weight +
               static_cast<double>(constraint.rule->max_skew - 1);
    }
    return score;
  }

  const std::vector<Constraint>& constraints_;
  const Constraint* host_ = nullptr;
  const Constraint* wide_ = nullptr;
  std::vector<int64_t> known_;  // By domain, then by pods on the host plus one.
};

// The pods per domain over the nodes that count.
std::vector<int64_t> SumPerDomain(const Cycle& cycle, const SpreadRule& rule,
                                  const PodCounter* counter, const NodeMask& nodes) {
  const Topology::Key& key = cycle.nodes().topology().key(rule.key);
  std::vector<int64_t> sums(key.domains.size());
  if (counter == nullptr) return sums;
  if (nodes == cycle.nodes().present()) {
    const auto counted = counter->PerDomain(rule.key);
    std::copy_n(counted.begin(), std::min(counted.size(), sums.size()), sums.begin());
  } else {
    nodes.ForEach([&](size_t row) {
      const DomainId domain = key.domain_of[row];
      if (domain.valid()) sums[domain.index()] += counter->OnNode(row);
    });
  }
  return sums;
}

// How many domains the feasible nodes span; nodes without the key make one more.
size_t CountDomains(const Topology::Key& key, const NodeMask& feasible, const NodeMask& ignored) {
  const size_t none = key.domains.size();
  std::vector<uint8_t> seen(none + 1);
  const bool none_ignored = ignored.None();
  feasible.ForEach([&](size_t row) {
    if (!none_ignored && ignored.Test(row)) return;
    const DomainId domain = key.domain_of[row];
    seen[domain.valid() ? domain.index() : none] = 1;
  });
  return static_cast<size_t>(std::ranges::count(seen, 1));
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
  std::vector<uint8_t> fits;  // By domain.
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const DomainTally& tally = state.tallies[i];
    const int64_t allowed = HighestAllowed(constraints.hard()[i], state.counts->hard[i], tally);
    const Topology::Key& key = cycle.nodes().topology().key(constraints.hard()[i].key);
    fits.resize(key.domains.size());
    for (uint32_t d = 0; d < fits.size(); ++d) fits[d] = tally.In(DomainId{d}) <= allowed;
    nodes.KeepIf([&](size_t row) {
      const DomainId domain = key.domain_of[row];
      return domain.valid() && fits[domain.index()] != 0;
    });
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

  const Topology& topology = cycle.nodes().topology();
  auto state = std::make_unique<SpreadScoreState>();
  state->ignored = NodeMask(feasible.size());
  if (constraints.requires_all_keys()) {
    for (const SpreadRule& rule : constraints.soft()) {
      const std::vector<DomainId>& domain_of = topology.key(rule.key).domain_of;
      feasible.ForEach([&](size_t row) {
        if (!domain_of[row].valid()) state->ignored.Set(row);
      });
    }
  }
  for (size_t i = 0; i < constraints.soft().size(); ++i) {
    const SpreadRule& rule = constraints.soft()[i];
    const Topology::Key& key = topology.key(rule.key);
    const PodCounter* counter = counts->soft[i].counter.get();
    SpreadScoreState::Constraint constraint{&rule, counter, &key.domain_of, {}, 0};
    const size_t size = rule.is_hostname ? feasible.Count() - state->ignored.Count()
                                         : CountDomains(key, feasible, state->ignored);
    constraint.weight = std::log(static_cast<double>(size + 2));
    if (!rule.is_hostname) {
      constraint.per_domain = SumPerDomain(cycle, rule, counter, constraints.SoftNodes(cycle, i));
    }
    state->constraints.push_back(std::move(constraint));
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

Verdict PodTopologySpread::Score(const Cycle& cycle, const NodeMask& nodes,
                                 std::span<int64_t> out) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  const bool none_ignored = state.ignored.None();
  NodeScorer scorer(state);
  nodes.ForEach([&](size_t row) {
    out[row] = none_ignored || !state.ignored.Test(row) ? scorer.ScoreOf(row) : 0;
  });
  return {};
}

void PodTopologySpread::Normalize(const Cycle& cycle, const NodeMask& feasible,
                                  std::span<int64_t> scores) const {
  const auto& state = cycle.state<SpreadScoreState>(*this);
  const bool none_ignored = state.ignored.None();
  int64_t lowest = INT64_MAX, highest = 0;
  feasible.ForEach([&](size_t row) {
    if (!none_ignored && state.ignored.Test(row)) return;
    lowest = std::min(lowest, scores[row]);
    highest = std::max(highest, scores[row]);
  });
  auto normalized = [&](int64_t score) {
    return highest == 0 ? 100 : 100 * (highest + lowest - score) / highest;
  };
  // Scores are often small numbers: then each is divided once only.
  constexpr int64_t kSmall = 1024;
  std::vector<int64_t> by_score;
  for (int64_t score = 0; highest < kSmall && score <= highest; ++score) {
    by_score.push_back(score < lowest ? 0 : normalized(score));
  }
  feasible.ForEach([&](size_t row) {
    if (!none_ignored && state.ignored.Test(row)) {
      scores[row] = 0;
    } else {
      scores[row] =
          by_score.empty() ? normalized(scores[row]) : by_score[static_cast<size_t>(scores[row])];
    }
  });
}

}  // namespace berth
