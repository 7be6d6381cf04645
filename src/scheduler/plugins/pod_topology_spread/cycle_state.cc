#include "scheduler/plugins/pod_topology_spread/cycle_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/vectorised.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::plugins {

namespace {

bool AreAll(const framework::Cycle& cycle, const model::NodeMask& nodes) {
  return &nodes == &cycle.nodes().present() || nodes == cycle.nodes().present();
}

BERTH_VECTORISED
size_t CountOthers(const int32_t* values, size_t size, int32_t value) {
  size_t count = 0;
  for (size_t i = 0; i < size; ++i) count += values[i] != value;
  return count;
}

// Domains without counting nodes are left out: as numbers without sign that begin with the next
// one, they are the highest. Returns INT32_MAX if there are no others.
BERTH_VECTORISED
int32_t LowestOf(const int32_t* counts, size_t size) {
  static_assert(DomainTally::kNoDomain == INT32_MIN);
  constexpr uint32_t kFirst = static_cast<uint32_t>(INT32_MIN) + 1;
  uint32_t lowest = UINT32_MAX;
  for (size_t i = 0; i < size; ++i) {
    const uint32_t count = static_cast<uint32_t>(counts[i]) - kFirst;
    lowest = count < lowest ? count : lowest;
  }
  return lowest == UINT32_MAX ? INT32_MAX : static_cast<int32_t>(lowest + kFirst);
}

}  // namespace

DomainTally::DomainTally(const framework::Cycle& cycle, const SpreadRule& rule,
                         const SpreadCount& count, const model::NodeMask& nodes) {
  counts_.assign(rule.key->domains().size(), kNoDomain);
  if (AreAll(cycle, nodes)) {
    CountAllNodes(*rule.key, count);
  } else {
    CountNodes(*rule.key, count, nodes);
  }
  domains_ = CountOthers(counts_.data(), counts_.size(), kNoDomain);
  FindLeast();
}

// Every node counts: the counter has the sums already.
void DomainTally::CountAllNodes(const model::Topology::Key& key, const SpreadCount& count) {
  if (key.domain_count() == counts_.size()) {
    std::ranges::fill(counts_, 0);
  } else {
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (key.domains()[i].nodes > 0) counts_[i] = 0;
    }
  }
  if (count.counter == nullptr) return;
  const auto set = [&](size_t domain, int32_t sum) {
    if (domain < counts_.size() && counts_[domain] != kNoDomain) counts_[domain] = sum;
  };
  const model::IndexedCounts& sums = count.counter->PerDomain(key);
  if (key.domain_count() == counts_.size() && sums.dense().size() <= counts_.size()) {
    std::ranges::copy(sums.dense(), counts_.begin());
    sums.ForEachOther(set);
  } else {
    sums.ForEach(set);
  }
}

void DomainTally::CountNodes(const model::Topology::Key& key, const SpreadCount& count,
                             const model::NodeMask& nodes) {
  const std::vector<model::DomainId>& domain_of = key.domain_of();
  static const model::IndexedCounts kNone;
  const model::IndexedCounts& pods = count.counter != nullptr ? count.counter->per_node() : kNone;
  if (key.domain_count() == key.node_count() && !pods.has_others()) {
    // Host names: each node is a domain.
    const std::span<const int32_t> dense = pods.dense();
    nodes.ForEach(
        [&](size_t row) { counts_[domain_of[row].index()] = row < dense.size() ? dense[row] : 0; });
  } else {
    nodes.ForEach([&](size_t row) { AddTo(counts_[domain_of[row].index()], pods[row]); });
  }
}

// Finds the domains with the lowest and the next lowest count; of equals the first ones.
void DomainTally::FindLeast() {
  const size_t size = counts_.size();
  const auto find = [&](int32_t lowest, size_t but) {
    size_t i = 0;
    while (i == but || counts_[i] != lowest) ++i;
    return i;
  };
  const int32_t lowest = LowestOf(counts_.data(), size);
  if (lowest == kMax) return;
  const size_t first = find(lowest, SIZE_MAX);
  least_[0] = {model::DomainId{static_cast<uint32_t>(first)}, lowest};
  const int32_t next = std::min(LowestOf(counts_.data(), first),
                                LowestOf(counts_.data() + first + 1, size - first - 1));
  if (next == kMax) return;
  least_[1] = {model::DomainId{static_cast<uint32_t>(find(next, first))}, next};
}

void DomainTally::Remember(model::DomainId domain, int64_t count) {
  if (domain == least_[0].domain) {
    least_[0].count = count;
  } else if (domain == least_[1].domain) {
    least_[1].count = count;
  } else if (count < least_[0].count) {
    least_[1] = least_[0];
    least_[0] = {domain, count};
    return;
  } else if (count < least_[1].count) {
    least_[1] = {domain, count};
    return;
  } else {
    return;
  }
  if (least_[0].count > least_[1].count) std::swap(least_[0], least_[1]);
}

void DomainTally::Adjust(model::DomainId domain, int32_t delta) {
  if (counts_.size() <= domain.index()) counts_.resize(domain.index() + 1, kNoDomain);
  int32_t& count = counts_[domain.index()];
  AddTo(count, delta);
  Remember(domain, count);
}

namespace {

// The pods per domain over the nodes that count.
std::vector<int64_t> SumPerDomain(const framework::Cycle& cycle, const SpreadRule& rule,
                                  const model::PodCounter* counter, const model::NodeMask& nodes) {
  const model::Topology::Key& key = *rule.key;
  std::vector<int64_t> sums(key.domains().size());
  if (counter == nullptr) return sums;
  if (AreAll(cycle, nodes)) {
    counter->PerDomain(key).ForEach([&](size_t domain, int32_t sum) {
      if (domain < sums.size()) sums[domain] = sum;
    });
  } else {
    const std::vector<model::DomainId>& domain_of = key.domain_of();
    nodes.ForEach([&](size_t row) {
      const model::DomainId domain = domain_of[row];
      if (domain.valid()) sums[domain.index()] += counter->per_node()[row];
    });
  }
  return sums;
}

// Returns how many domains the feasible nodes span; nodes without the key make one more.
size_t CountDomains(const framework::Cycle& cycle, const model::Topology::Key& key,
                    const model::NodeMask& feasible, const model::NodeMask& ignored) {
  if (feasible == cycle.nodes().present() && ignored.None())
    return key.domain_count() + (key.node_count() < cycle.nodes().present_count() ? 1 : 0);
  const size_t none = key.domains().size();
  const std::vector<model::DomainId>& domain_of = key.domain_of();
  std::vector<uint8_t> seen(none + 1);
  const bool none_ignored = ignored.None();
  feasible.ForEach([&](size_t row) {
    if (!none_ignored && ignored.Test(row)) return;
    const model::DomainId domain = domain_of[row];
    seen[domain.valid() ? domain.index() : none] = 1;
  });
  return static_cast<size_t>(std::ranges::count(seen, 1));
}

using Constraint = SpreadScoreState::Constraint;

constexpr int64_t kNoDomain = -1;

// Returns the pods that count for the node, or kNoDomain.
int64_t CountOf(const Constraint& constraint, size_t row) {
  const model::DomainId domain = constraint.key->domain_of()[row];
  if (!domain.valid()) return kNoDomain;
  if (!constraint.rule->is_hostname) return constraint.per_domain[domain.index()];
  return constraint.counter != nullptr ? constraint.counter->per_node()[row] : 0;
}

// Adds the score of `count` pods. The order of additions decides the last bit.
void AddTo(double& score, const Constraint& constraint, int64_t count) {
  if (count == kNoDomain) return;
  score += constraint.rule->ScoreOf(count, constraint.weight);
}

}  // namespace

SpreadScoreState::SpreadScoreState(const framework::Cycle& cycle, SpreadConstraints& rules,
                                   const SpreadConstraints::Counts& counts,
                                   const model::NodeMask& feasible)
    : ignored(feasible.size()) {
  if (rules.requires_all_keys()) {
    for (const SpreadRule& rule : rules.soft()) {
      const std::vector<model::DomainId>& domain_of = rule.key->domain_of();
      feasible.ForEach([&](size_t row) {
        if (!domain_of[row].valid()) ignored.Set(row);
      });
    }
  }
  for (size_t i = 0; i < rules.soft().size(); ++i) {
    const SpreadRule& rule = rules.soft()[i];
    const model::Topology::Key& key = *rule.key;
    const model::PodCounter* counter = counts.soft[i].counter.get();
    Constraint constraint{&rule, counter, &key, {}, 0};
    const size_t size = rule.is_hostname ? feasible.Count() - ignored.Count()
                                         : CountDomains(cycle, key, feasible, ignored);
    constraint.weight = SpreadRule::WeightFor(size);
    if (!rule.is_hostname) {
      constraint.per_domain = SumPerDomain(cycle, rule, counter, rules.SoftNodes(cycle, i));
    }
    constraints.push_back(std::move(constraint));
  }
}

int64_t SpreadScoreState::ScoreOf(size_t row) const {
  double score = 0;
  for (const Constraint& constraint : constraints)
    AddTo(score, constraint, CountOf(constraint, row));
  return std::llround(score);
}

bool SpreadScoreState::ScoreAll(const framework::Cycle& cycle, std::span<int32_t> out) const {
  constexpr size_t kMaxTable = 4096;
  const Constraint* host = nullptr;
  const Constraint* wide = nullptr;
  for (const Constraint& constraint : constraints) {
    const Constraint*& place = constraint.rule->is_hostname ? host : wide;
    if (std::exchange(place, &constraint) != nullptr) return false;
  }
  if (wide == nullptr || !ignored.None()) return false;
  std::span<const int32_t> pods;  // On each host.
  std::vector<int32_t> few_pods;
  size_t width = 1;
  if (host != nullptr) {
    if (host->key->node_count() != cycle.nodes().present_count()) return false;
    if (host->counter != nullptr) pods = host->counter->per_node().dense();
    if (host->counter != nullptr && host->counter->per_node().has_others()) {
      few_pods.resize(out.size());
      host->counter->per_node().ForEach([&](size_t row, int32_t count) { few_pods[row] = count; });
      pods = few_pods;
    }
    width = static_cast<size_t>(std::max(framework::HighestOf(pods), 0)) + 1;
  }
  const size_t domains = wide->per_domain.size();
  if ((domains + 1) * width > kMaxTable) return false;

  std::vector<int32_t> table;
  for (size_t domain = 0; domain <= domains; ++domain) {
    const int64_t in_domain = domain == 0 ? kNoDomain : wide->per_domain[domain - 1];
    for (size_t on_host = 0; on_host < width; ++on_host) {
      double score = 0;
      for (const Constraint& constraint : constraints)
        AddTo(score, constraint, &constraint == wide ? in_domain : static_cast<int64_t>(on_host));
      if (score < 0 || score > INT32_MAX / 2) return false;
      table.push_back(static_cast<int32_t>(std::llround(score)));
    }
  }
  framework::LookUpByDomainAndCount(wide->key->domain_of(), pods, table,
                                    static_cast<int32_t>(width), out);
  return true;
}

}  // namespace berth::scheduler::plugins
