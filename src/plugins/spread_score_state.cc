#include "plugins/spread_score_state.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

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

using Constraint = SpreadScoreState::Constraint;

constexpr int64_t kNoDomain = -1;

// The pods that count for the node, or kNoDomain.
int64_t CountOf(const Constraint& constraint, size_t row) {
  const DomainId domain = (*constraint.domain_of)[row];
  if (!domain.valid()) return kNoDomain;
  if (!constraint.rule->is_hostname) return constraint.per_domain[domain.index()];
  return constraint.counter != nullptr ? constraint.counter->OnNode(row) : 0;
}

constexpr int64_t kUnknown = INT64_MIN;
constexpr size_t kMaxDomains = 64;  // Known scores are kept up to so many domains
constexpr int64_t kMaxPods = 64;    // and fewer pods than this on a host.

}  // namespace

SpreadScoreState::SpreadScoreState(const Cycle& cycle, const SpreadConstraints& rules,
                                   const SpreadConstraints::Counts& counts,
                                   const NodeMask& feasible)
    : ignored(feasible.size()) {
  const Topology& topology = cycle.nodes().topology();
  if (rules.requires_all_keys()) {
    for (const SpreadRule& rule : rules.soft()) {
      const std::vector<DomainId>& domain_of = topology.key(rule.key).domain_of;
      feasible.ForEach([&](size_t row) {
        if (!domain_of[row].valid()) ignored.Set(row);
      });
    }
  }
  for (size_t i = 0; i < rules.soft().size(); ++i) {
    const SpreadRule& rule = rules.soft()[i];
    const Topology::Key& key = topology.key(rule.key);
    const PodCounter* counter = counts.soft[i].counter.get();
    Constraint constraint{&rule, counter, &key.domain_of, {}, 0};
    const size_t size = rule.is_hostname ? feasible.Count() - ignored.Count()
                                         : CountDomains(key, feasible, ignored);
    constraint.weight = std::log(static_cast<double>(size + 2));
    if (!rule.is_hostname) {
      constraint.per_domain = SumPerDomain(cycle, rule, counter, rules.SoftNodes(cycle, i));
    }
    constraints.push_back(std::move(constraint));
  }
}

SpreadScorer::SpreadScorer(const SpreadScoreState& state) : constraints_(state.constraints) {
  for (const Constraint& constraint : constraints_) {
    (constraint.rule->is_hostname ? host_ : wide_) = &constraint;
  }
  if (constraints_.size() != 2 || host_ == nullptr || wide_ == nullptr) return;
  if (wide_->per_domain.size() > kMaxDomains) return;
  known_.assign((wide_->per_domain.size() + 1) * kMaxPods, kUnknown);
}

int64_t SpreadScorer::ScoreOf(size_t row) {
  if (known_.empty()) return std::llround(SumOf(row));
  const int64_t pods = CountOf(*host_, row) + 1;  // kNoDomain comes first.
  if (pods >= kMaxPods) return std::llround(SumOf(row));
  const DomainId domain = (*wide_->domain_of)[row];
  const size_t place = domain.valid() ? domain.index() : wide_->per_domain.size();
  int64_t& score = known_[place * kMaxPods + static_cast<size_t>(pods)];
  if (score == kUnknown) score = std::llround(SumOf(row));
  return score;
}

double SpreadScorer::SumOf(size_t row) const {
  double score = 0;
  for (const Constraint& constraint : constraints_) {
    const int64_t count = CountOf(constraint, row);
    if (count == kNoDomain) continue;
    score += static_cast<double>(count) * constraint.weight +
             static_cast<double>(constraint.rule->max_skew - 1);
  }
  return score;
}

}  // namespace berth
