#include "scheduler/plugins/preemption/disruption_budgets.h"

#include <utility>

#include "api/workloads.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::plugins {

std::vector<DisruptionBudgets::Budget> DisruptionBudgets::BudgetsIn(
    const std::string& namespace_) const {
  std::vector<Budget> budgets;
  const auto& all = cluster_.objects<api::PodDisruptionBudget>().all();
  for (auto it = all.lower_bound({namespace_, ""});
       it != all.end() && it->first.namespace_ == namespace_; ++it) {
    auto selector = api::Selector::FromLabelSelector(it->second->selector);
    // A budget without a selector protects nothing.
    if (!selector || selector->empty() || selector->nothing()) continue;
    budgets.push_back({it->second.get(), *std::move(selector), it->second->disruptions_allowed});
  }
  return budgets;
}

bool DisruptionBudgets::Overdraws(const model::PodRecord& pod) {
  const api::ObjectMeta& meta = pod.object->metadata;
  auto known = by_namespace_.find(meta.namespace_);
  if (known == by_namespace_.end())
    known = by_namespace_.emplace(meta.namespace_, BudgetsIn(meta.namespace_)).first;
  bool overdrawn = false;
  if (meta.labels.empty()) return false;
  for (Budget& budget : known->second) {
    if (!budget.selector.Matches(meta.labels) || budget.object->disrupted_pods.contains(meta.name))
      continue;
    if (--budget.left < 0) overdrawn = true;
  }
  return overdrawn;
}

}  // namespace berth::scheduler::plugins
