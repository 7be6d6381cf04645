#include "scheduler/plugins/pod_topology_spread/spread_domain_score.h"

#include <algorithm>
#include <cmath>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::plugins {

std::unique_ptr<SpreadDomainScore> SpreadDomainScore::Make(const framework::Cycle& cycle,
                                                           SpreadConstraints& constraints,
                                                           const SpreadConstraints::Counts& counts,
                                                           framework::SearchRules& rules) {
  static const model::IndexedCounts kNone;
  auto made = std::make_unique<SpreadDomainScore>();
  for (size_t i = 0; i < constraints.soft().size(); ++i) {
    const SpreadRule& rule = constraints.soft()[i];
    const model::PodCounter* const counter = counts.soft[i].counter.get();
    const bool on_all = rule.key->node_count() == cycle.nodes().present_count();
    // Nodes without a key are rated apart, or not at all.
    if (!on_all && (rule.is_hostname || constraints.requires_all_keys())) return nullptr;
    const model::IndexedCounts* pods = &kNone;
    if (rule.is_hostname) {
      if (counter != nullptr) pods = &counter->per_node();
    } else {
      if (made->key_ != nullptr) return nullptr;
      // The counter has the sums over all nodes.
      if (&constraints.SoftNodes(cycle, i) != &cycle.nodes().present()) return nullptr;
      made->key_ = rule.key;
      if (counter != nullptr) pods = &counter->PerDomain(*rule.key);
    }
    made->constraints_.push_back({&rule, pods});
  }
  if (made->key_ != nullptr && !rules.DivideBy(made->key_, cycle.cluster().symbols()))
    return nullptr;
  return made;
}

size_t SpreadDomainScore::exceptions() const {
  size_t rows = 0;
  for (const Constraint& constraint : constraints_) {
    if (constraint.rule->is_hostname) rows += constraint.pods->not_zero();
  }
  return rows;
}

bool SpreadDomainScore::AppendExceptions(std::vector<model::NodeRow>& rows) const {
  for (const Constraint& constraint : constraints_) {
    if (!constraint.rule->is_hostname) continue;
    constraint.pods->ForEachNotZero(
        [&](size_t row, int32_t) { rows.push_back(model::NodeRow{static_cast<uint32_t>(row)}); });
  }
  return true;
}

void SpreadDomainScore::SetFeasible(const Feasible& feasible) {
  for (Constraint& constraint : constraints_) {
    const size_t size = constraint.rule->is_hostname ? feasible.nodes : feasible.domains;
    constraint.weight = SpreadRule::WeightFor(size);
  }
}

int64_t SpreadDomainScore::OfDomain(model::DomainId domain) const {
  double score = 0;
  for (const Constraint& constraint : constraints_) {
    if (constraint.rule->is_hostname) {
      score += constraint.rule->ScoreOf(0, constraint.weight);
    } else if (domain.valid()) {
      score += constraint.rule->ScoreOf((*constraint.pods)[domain.index()], constraint.weight);
    }
  }
  return std::llround(score);
}

int64_t SpreadDomainScore::OfNode(model::NodeRow node) const {
  double score = 0;
  for (const Constraint& constraint : constraints_) {
    if (constraint.rule->is_hostname) {
      score += constraint.rule->ScoreOf((*constraint.pods)[node.index()], constraint.weight);
    } else if (const auto domain = key_->domain_of()[node.index()]; domain.valid()) {
      score += constraint.rule->ScoreOf((*constraint.pods)[domain.index()], constraint.weight);
    }
  }
  return std::llround(score);
}

int64_t SpreadDomainScore::Normalized(int64_t score, int64_t lowest, int64_t highest) const {
  return NormalizedSpread(score, lowest, std::max<int64_t>(highest, 0));
}

}  // namespace berth::scheduler::plugins
